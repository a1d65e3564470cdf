package hnslib_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/Microsoft/go-winio/pkg/guid"
	"github.com/Microsoft/hnslib/hcn"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

func wantInside(t *testing.T, namespace *hcn.HostComputeNamespace, endpoints ...string) {
	t.Helper()
	ids, err := hcn.GetNamespaceEndpointIds(namespace.Id)
	check(t, err)
	wantIDs(t, "endpoints inside", ids, endpoints...)
}

func TestEachTypeOfNamespace(t *testing.T) {
	for _, kind := range []hcn.NamespaceType{
		hcn.NamespaceTypeHost, hcn.NamespaceTypeHostDefault, hcn.NamespaceTypeGuest, hcn.NamespaceTypeGuestDefault,
	} {
		t.Run(string(kind), func(t *testing.T) {
			asked := hcn.NewNamespace(kind)
			wantEqual(t, "type asked for", asked.Type, kind)
			wantEqual(t, "version asked for", asked.SchemaVersion, hcn.V2SchemaVersion())
			namespace := newNamespace(t, kind)
			wantEqual(t, "type", namespace.Type, kind)
			if namespace.Id == "" {
				t.Error("it has no id")
			}
			check(t, namespace.Sync()) // there is no utility VM to tell
		})
	}
}

func TestANamespaceIsFound(t *testing.T) {
	namespace := newNamespace(t, hcn.NamespaceTypeHost)
	for _, id := range []string{namespace.Id, strings.ToLower(namespace.Id)} {
		found, err := hcn.GetNamespaceByID(id)
		check(t, err)
		wantEqual(t, "id", found.Id, namespace.Id)
		wantEqual(t, "compartment", found.NamespaceId, namespace.NamespaceId)
	}
}

func TestNamespacesAreListed(t *testing.T) {
	namespace := newNamespace(t, hcn.NamespaceTypeHost)
	all := func() ([]hcn.HostComputeNamespace, error) {
		return hcn.ListNamespacesQuery(hcn.HostComputeQuery{SchemaVersion: hcn.V2SchemaVersion()})
	}
	for name, list := range map[string]func() ([]hcn.HostComputeNamespace, error){"all": hcn.ListNamespaces, "of a query": all} {
		t.Run(name, func(t *testing.T) {
			namespaces, err := list()
			check(t, err)
			has := func(is func(hcn.HostComputeNamespace) bool) bool { return slices.ContainsFunc(namespaces, is) }
			wantEqual(t, "ours", has(func(n hcn.HostComputeNamespace) bool { return n.Id == namespace.Id }), true)
			wantEqual(t, "the host's", has(func(n hcn.HostComputeNamespace) bool { return n.Type == hcn.NamespaceTypeHostDefault }), true)
		})
	}
}

func TestANewNamespaceIsEmpty(t *testing.T) {
	namespace := newNamespace(t, hcn.NamespaceTypeHost)
	wantInside(t, namespace)
	containers, err := hcn.GetNamespaceContainerIds(namespace.Id)
	check(t, err)
	wantIDs(t, "containers", containers)
}

func TestAnEndpointEntersAndLeavesANamespace(t *testing.T) {
	network := natNetwork(t)
	for name, way := range map[string]struct {
		enter, leave func(namespace string, endpoint *hcn.HostComputeEndpoint) error
	}{
		"by the endpoint": {
			func(n string, e *hcn.HostComputeEndpoint) error { return e.NamespaceAttach(n) },
			func(n string, e *hcn.HostComputeEndpoint) error { return e.NamespaceDetach(n) },
		},
		"by the namespace": {
			func(n string, e *hcn.HostComputeEndpoint) error { return hcn.AddNamespaceEndpoint(n, e.Id) },
			func(n string, e *hcn.HostComputeEndpoint) error { return hcn.RemoveNamespaceEndpoint(n, e.Id) },
		},
		"by a request": {
			func(n string, e *hcn.HostComputeEndpoint) error {
				return modifyNamespace(t, n, hcn.RequestTypeAdd, e.Id)
			},
			func(n string, e *hcn.HostComputeEndpoint) error {
				return modifyNamespace(t, n, hcn.RequestTypeRemove, e.Id)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint, namespace := newEndpoint(t, network, "moves"), newNamespace(t, hcn.NamespaceTypeHost)
			check(t, way.enter(namespace.Id, endpoint))
			wantInside(t, namespace, endpoint.Id)
			found, err := hcn.GetEndpointByID(endpoint.Id)
			check(t, err)
			wantIDs(t, "namespace of the endpoint", []string{found.HostComputeNamespace}, namespace.Id)
			check(t, way.leave(namespace.Id, endpoint))
			wantInside(t, namespace)
		})
	}
}

func modifyNamespace(t *testing.T, namespace string, request hcn.RequestType, endpoint string) error {
	t.Helper()
	return hcn.ModifyNamespaceSettings(namespace, &hcn.ModifyNamespaceSettingRequest{
		ResourceType: hcn.NamespaceResourceTypeEndpoint,
		RequestType:  request,
		Settings:     document(t, map[string]string{"EndpointId": endpoint}),
	})
}

func TestResourcesAreEndpointsAndContainers(t *testing.T) {
	endpoint, namespace := newEndpoint(t, natNetwork(t), "inside"), newNamespace(t, hcn.NamespaceTypeHost)
	check(t, hcn.AddNamespaceEndpoint(namespace.Id, endpoint.Id))
	holdContainer(t, namespace.Id, "pod")
	found, err := hcn.GetNamespaceByID(namespace.Id)
	check(t, err)
	for _, want := range []struct {
		kind hcn.NamespaceResourceType
		id   string
	}{{hcn.NamespaceResourceTypeEndpoint, endpoint.Id}, {hcn.NamespaceResourceTypeContainer, "pod"}} {
		at := slices.IndexFunc(found.Resources, func(r hcn.NamespaceResource) bool { return r.Type == want.kind })
		if at < 0 {
			t.Fatalf("no %s in %v", want.kind, found.Resources)
		}
		// Both kinds name their id alike.
		var inEndpoint hcn.NamespaceResourceEndpoint
		var inContainer hcn.NamespaceResourceContainer
		check(t, json.Unmarshal(found.Resources[at].Data, &inEndpoint))
		check(t, json.Unmarshal(found.Resources[at].Data, &inContainer))
		wantIDs(t, string(want.kind), []string{inEndpoint.Id, inContainer.Id}, want.id, want.id)
	}
	containers, err := hcn.GetNamespaceContainerIds(namespace.Id)
	check(t, err)
	wantIDs(t, "containers", containers, "pod")
}

func TestAnEndpointIsInOneNamespace(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "torn")
	check(t, endpoint.NamespaceAttach(newNamespace(t, hcn.NamespaceTypeHost).Id))
	err := endpoint.NamespaceAttach(newNamespace(t, hcn.NamespaceTypeHost).Id)
	wantCode(t, err, windows.HCN_E_ENDPOINT_NAMESPACE_ALREADY_EXISTS)
}

func TestANamespaceIsNotChangedByWhatIsNotThere(t *testing.T) {
	namespace, endpoint := newNamespace(t, hcn.NamespaceTypeHost), newEndpoint(t, natNetwork(t), "outside")
	wantEqual(t, "endpoint not found", hcn.IsEndpointNotFoundError(hcn.AddNamespaceEndpoint(namespace.Id, missing)), true)
	wantEqual(t, "not inside", hcn.IsElementNotFoundError(hcn.RemoveNamespaceEndpoint(namespace.Id, endpoint.Id)), true)
	wantEqual(t, "namespace not found", hcn.IsElementNotFoundError(hcn.AddNamespaceEndpoint(missing, endpoint.Id)), true)
}

func TestARemoteEndpointEntersNoNamespace(t *testing.T) {
	remote := newRemoteEndpoint(t, overlayNetwork(t), "192.168.82.70")
	err := remote.NamespaceAttach(newNamespace(t, hcn.NamespaceTypeHost).Id)
	wantCode(t, err, windows.HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION)
}

func TestADeletedNamespaceLeavesItsEndpoints(t *testing.T) {
	endpoint, namespace := newEndpoint(t, natNetwork(t), "left"), newNamespace(t, hcn.NamespaceTypeHost)
	check(t, endpoint.NamespaceAttach(namespace.Id))
	check(t, namespace.Delete())
	_, err := hcn.GetNamespaceByID(namespace.Id)
	wantEqual(t, "not found", hcn.IsNotFoundError(err), true)
	found, err := hcn.GetEndpointByID(endpoint.Id)
	check(t, err)
	wantEqual(t, "namespace", found.HostComputeNamespace, "")
}

// The registry says which utility VM has a guest's namespace; hnslib forgets one whose shim has gone.
func TestSyncForgetsAMachineThatIsGone(t *testing.T) {
	namespace := newNamespace(t, hcn.NamespaceTypeGuest)
	check(t, namespace.Sync()) // which makes the key that ours goes under
	path := `SOFTWARE\Microsoft\runhcs\cni\` + namespace.Id
	host, err := guid.NewV4()
	check(t, err)
	key := volatileKey(t, path)
	check(t, key.SetBinaryValue("cfg", document(t, map[string]any{"ContainerID": "pod", "HostUniqueID": host})))
	check(t, key.Close())
	t.Cleanup(func() { _ = registry.DeleteKey(registry.LOCAL_MACHINE, path) })
	check(t, namespace.Sync())
	if _, err := registry.OpenKey(registry.LOCAL_MACHINE, path, registry.READ); !errors.Is(err, registry.ErrNotExist) {
		t.Errorf("opening it again: %v", err)
	}
}

// volatileKey is there because under hnslib's volatile keys no others can be.
func volatileKey(t *testing.T, path string) registry.Key {
	t.Helper()
	const volatile = 1
	name, err := windows.UTF16PtrFromString(path)
	check(t, err)
	var key registry.Key
	code, _, _ := windows.NewLazySystemDLL("advapi32.dll").NewProc("RegCreateKeyExW").Call(
		uintptr(registry.LOCAL_MACHINE), uintptr(unsafe.Pointer(name)), 0, 0, volatile, registry.ALL_ACCESS, 0,
		uintptr(unsafe.Pointer(&key)), 0)
	if code != 0 {
		t.Fatal(windows.Errno(code))
	}
	return key
}
