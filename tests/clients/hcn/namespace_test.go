package hcn_test

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/Microsoft/hcsshim/hcn"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

func TestANamespaceOfEachTypeIsCreatedAndDeleted(t *testing.T) {
	for _, kind := range []hcn.NamespaceType{
		hcn.NamespaceTypeHost, hcn.NamespaceTypeHostDefault, hcn.NamespaceTypeGuest, hcn.NamespaceTypeGuestDefault,
	} {
		t.Run(string(kind), func(t *testing.T) {
			asked := hcn.NewNamespace(kind)
			wantEqual(t, *asked, hcn.HostComputeNamespace{Type: kind, SchemaVersion: hcn.V2SchemaVersion()})
			namespace := createNamespace(t, asked)
			wantEqual(t, namespace.Type, kind)
			wantEqual(t, len(namespace.Resources), 0)
			wantEqual(t, namespace.SchemaVersion, hcn.V2SchemaVersion())
			check(t, namespace.Delete())
			_, err := hcn.GetNamespaceByID(namespace.Id)
			if !hcn.IsNotFoundError(err) {
				t.Fatal(err)
			}
			wantCode(t, namespace.Delete(), hcn.ERROR_NOT_FOUND)
		})
	}
}

func TestANamespaceOfAnUnknownTypeIsRefused(t *testing.T) {
	_, err := hcn.NewNamespace("Kitchen").Create()
	wantCode(t, err, hcn.ErrorCode(windows.ERROR_INVALID_PARAMETER))
}

func TestANamespaceIsCreatedUnderTheIdGiven(t *testing.T) {
	asked := hcn.NewNamespace(hcn.NamespaceTypeHost)
	asked.Id = "6f2d8c1e-1a9b-4a56-b0f3-5c4d3e2f1a00"
	namespace := createNamespace(t, asked)
	if !strings.EqualFold(namespace.Id, asked.Id) {
		t.Fatalf("got the id %s, asked for %s", namespace.Id, asked.Id)
	}
	_, err := asked.Create()
	wantCode(t, err, alreadyExists)
}

func TestNamespacesHaveCompartmentsOfTheirOwn(t *testing.T) {
	one, other := newNamespace(t), newNamespace(t)
	if one.NamespaceId == other.NamespaceId || one.NamespaceId < 2 {
		t.Fatalf("got %d and %d", one.NamespaceId, other.NamespaceId)
	}
}

func TestTheDefaultNamespaceIsTheHostsCompartment(t *testing.T) {
	asked := hcn.NewNamespace(hcn.NamespaceTypeHostDefault)
	asked.NamespaceId = 5
	wantEqual(t, createNamespace(t, asked).NamespaceId, uint32(1))
}

func TestANamespaceIsFoundByItsId(t *testing.T) {
	namespace := newNamespace(t)
	for _, id := range []string{namespace.Id, strings.ToLower(namespace.Id), strings.ToUpper(namespace.Id)} {
		wantEqual(t, must(hcn.GetNamespaceByID(id))(t), namespace)
	}
}

func TestNamespacesAreListed(t *testing.T) {
	namespace := newNamespace(t)
	namespaces := must(hcn.ListNamespaces())(t)
	for name, wanted := range map[string]func(hcn.HostComputeNamespace) bool{
		"the new one":  func(n hcn.HostComputeNamespace) bool { return n.Id == namespace.Id },
		"the host's":   func(n hcn.HostComputeNamespace) bool { return n.Type == hcn.NamespaceTypeHostDefault },
		"one by types": func(n hcn.HostComputeNamespace) bool { return n.Type == hcn.NamespaceTypeHost },
	} {
		if !slices.ContainsFunc(namespaces, wanted) {
			t.Errorf("%s is not among %+v", name, namespaces)
		}
	}
}

func TestNamespacesAreListedByAFilter(t *testing.T) {
	namespace := newNamespace(t)
	newNamespace(t)
	filter := string(marshal(t, map[string]string{"ID": namespace.Id}))
	query := hcn.HostComputeQuery{SchemaVersion: hcn.V2SchemaVersion(), Filter: filter}
	wantEqual(t, must(hcn.ListNamespacesQuery(query))(t), []hcn.HostComputeNamespace{*namespace})
}

func TestAnEndpointIsAddedToANamespaceAndRemoved(t *testing.T) {
	endpoint, namespace := newEndpoint(t, newNetwork(t, hcn.NAT)), newNamespace(t)
	wantEqual(t, len(must(hcn.GetNamespaceEndpointIds(namespace.Id))(t)), 0)
	check(t, hcn.AddNamespaceEndpoint(namespace.Id, endpoint.Id))
	if got := must(hcn.GetNamespaceEndpointIds(namespace.Id))(t); !sameIDs(got, endpoint.Id) {
		t.Fatalf("got %v, want %s", got, endpoint.Id)
	}
	// CNI's ADD may be repeated, and takes any error for a failure.
	check(t, hcn.AddNamespaceEndpoint(namespace.Id, endpoint.Id))
	check(t, hcn.RemoveNamespaceEndpoint(namespace.Id, endpoint.Id))
	wantEqual(t, len(must(hcn.GetNamespaceEndpointIds(namespace.Id))(t)), 0)
	wantCode(t, hcn.RemoveNamespaceEndpoint(namespace.Id, endpoint.Id), hcn.ERROR_NOT_FOUND)
}

func TestANamespaceHasSeveralEndpoints(t *testing.T) {
	network, namespace := newNetwork(t, hcn.L2Bridge), newNamespace(t)
	one, other := newEndpoint(t, network), newEndpoint(t, network)
	check(t, one.NamespaceAttach(namespace.Id))
	check(t, other.NamespaceAttach(namespace.Id))
	got := must(hcn.GetNamespaceEndpointIds(namespace.Id))(t)
	if !sameIDs(got, one.Id, other.Id) && !sameIDs(got, other.Id, one.Id) {
		t.Fatalf("got %v, want %s and %s", got, one.Id, other.Id)
	}
	// A deleted endpoint leaves its namespace.
	check(t, one.Delete())
	if got := must(hcn.GetNamespaceEndpointIds(namespace.Id))(t); !sameIDs(got, other.Id) {
		t.Fatalf("got %v, want %s", got, other.Id)
	}
}

func TestANamespaceLeavesItsEndpointsBehind(t *testing.T) {
	endpoint, namespace := newEndpoint(t, newNetwork(t, hcn.NAT)), newNamespace(t)
	check(t, endpoint.NamespaceAttach(namespace.Id))
	check(t, namespace.Delete())
	wantEqual(t, must(hcn.GetEndpointByID(endpoint.Id))(t).HostComputeNamespace, "")
}

func modifyNamespace(
	t *testing.T, namespace string, resource hcn.NamespaceResourceType, kind hcn.RequestType, settings map[string]string,
) error {
	t.Helper()
	return hcn.ModifyNamespaceSettings(namespace, &hcn.ModifyNamespaceSettingRequest{
		ResourceType: resource, RequestType: kind, Settings: marshal(t, settings),
	})
}

func TestTheEndpointsOfANamespaceAreModified(t *testing.T) {
	endpoint, namespace := newEndpoint(t, newNetwork(t, hcn.NAT)), newNamespace(t)
	settings := map[string]string{"EndpointId": endpoint.Id}
	check(t, modifyNamespace(t, namespace.Id, hcn.NamespaceResourceTypeEndpoint, hcn.RequestTypeAdd, settings))
	found := must(hcn.GetNamespaceByID(namespace.Id))(t)
	wantEqual(t, len(found.Resources), 1)
	wantEqual(t, found.Resources[0].Type, hcn.NamespaceResourceTypeEndpoint)
	var resource hcn.NamespaceResourceEndpoint
	check(t, json.Unmarshal(found.Resources[0].Data, &resource))
	if !sameIDs([]string{resource.Id}, endpoint.Id) {
		t.Fatalf("got %+v", resource)
	}
	check(t, modifyNamespace(t, namespace.Id, hcn.NamespaceResourceTypeEndpoint, hcn.RequestTypeRemove, settings))
	wantEqual(t, len(must(hcn.GetNamespaceByID(namespace.Id))(t).Resources), 0)
}

func TestTheContainersOfANamespaceAreModified(t *testing.T) {
	namespace := newNamespace(t)
	wantEqual(t, len(must(hcn.GetNamespaceContainerIds(namespace.Id))(t)), 0)
	settings := map[string]string{"ContainerId": "a1b2c3"}
	check(t, modifyNamespace(t, namespace.Id, hcn.NamespaceResourceTypeContainer, hcn.RequestTypeAdd, settings))
	wantEqual(t, must(hcn.GetNamespaceContainerIds(namespace.Id))(t), []string{"a1b2c3"})
	wantEqual(t, len(must(hcn.GetNamespaceEndpointIds(namespace.Id))(t)), 0)
	check(t, modifyNamespace(t, namespace.Id, hcn.NamespaceResourceTypeContainer, hcn.RequestTypeRemove, settings))
	wantEqual(t, len(must(hcn.GetNamespaceContainerIds(namespace.Id))(t)), 0)
}

func TestWhatANamespaceCannotHaveIsRefused(t *testing.T) {
	namespace := newNamespace(t)
	wantCode(t, hcn.AddNamespaceEndpoint(namespace.Id, missing), endpointNotFound)
	wantCode(t, modifyNamespace(t, namespace.Id, "Table", hcn.RequestTypeAdd, nil), requestUnsupported)
}

func TestANamespaceIsSynced(t *testing.T) {
	// Nothing is said about these namespaces in the registry, so that there is no virtual machine to be told.
	for _, kind := range []hcn.NamespaceType{
		hcn.NamespaceTypeHost, hcn.NamespaceTypeHostDefault, hcn.NamespaceTypeGuest, hcn.NamespaceTypeGuestDefault,
	} {
		t.Run(string(kind), func(t *testing.T) {
			asked := hcn.NewNamespace(kind)
			asked.NamespaceId = 5
			check(t, createNamespace(t, asked).Sync())
		})
	}
}

// volatileKey opens a key that is not written to disk, with those above it: hcsshim's own are of that kind,
// and no other can be made below them.
func volatileKey(t *testing.T, names ...string) registry.Key {
	t.Helper()
	create := windows.NewLazySystemDLL("advapi32.dll").NewProc("RegCreateKeyExW")
	key := registry.LOCAL_MACHINE
	for _, name := range names {
		const isVolatile = 1
		var made registry.Key
		code, _, _ := create.Call(
			uintptr(key), uintptr(unsafe.Pointer(must(windows.UTF16PtrFromString(name))(t))), 0, 0,
			isVolatile, registry.ALL_ACCESS, 0, uintptr(unsafe.Pointer(&made)), 0,
		)
		if code != 0 {
			t.Fatal(windows.Errno(code))
		}
		t.Cleanup(func() { _ = made.Close() })
		key = made
	}
	return key
}

func TestASyncForgetsAVirtualMachineThatIsGone(t *testing.T) {
	namespace := createNamespace(t, hcn.NewNamespace(hcn.NamespaceTypeGuest))
	known := volatileKey(t, `SOFTWARE\Microsoft\runhcs`, "cni")
	machine := volatileKey(t, `SOFTWARE\Microsoft\runhcs`, "cni", namespace.Id)
	t.Cleanup(func() { _ = registry.DeleteKey(known, namespace.Id) })
	config := marshal(t, map[string]string{"ContainerID": "gone", "HostUniqueID": missing})
	check(t, machine.SetBinaryValue("cfg", config))

	check(t, namespace.Sync())
	if names := must(known.ReadSubKeyNames(0))(t); slices.Contains(names, namespace.Id) {
		t.Fatalf("it is still among %v", names)
	}
}

func TestAThreadChangesItsCompartment(t *testing.T) {
	current := windows.NewLazySystemDLL("iphlpapi.dll").NewProc("GetCurrentThreadCompartmentId")
	check(t, current.Find()) // the library panics where the DLL lacks these functions
	number := newNamespace(t).NamespaceId
	got := make(chan uint32)
	go func() {
		// The thread ends with the goroutine, so that no other test runs in the compartment.
		runtime.LockOSThread()
		if err := hcn.SetCurrentThreadCompartmentId(number); err != nil {
			t.Error(err)
		}
		id, _, _ := current.Call()
		got <- uint32(id)
	}()
	wantEqual(t, <-got, number)
}
