// Package hnslib_test calls all of hnslib, the library of Kubernetes' kube-proxy, on a node of any release.
package hnslib_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/Microsoft/hnslib/hcn"
	"golang.org/x/sys/windows"
)

// A GUID that no object has.
const missing = "6b1c4d2a-0f3e-4b7c-9a58-2d7e10c4f9b3"

// By its version tests tell the release of the node that they run on.
var version hcn.Version

func TestMain(m *testing.M) {
	globals, err := hcn.GetGlobals()
	if err != nil {
		fmt.Fprintln(os.Stderr, "no HNS here:", err)
		os.Exit(1)
	}
	version = globals.Version
	os.Exit(m.Run())
}

func since(major, minor int) bool {
	return version.Major > major || version.Major == major && version.Minor >= minor
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func wantCode[C ~uint32 | ~uintptr](t *testing.T, err error, code C) {
	t.Helper()
	if !hcn.CheckErrorWithCode(err, hcn.ErrorCode(code)) {
		t.Errorf("got error %v, want %#x", err, uint32(code))
	}
}

func wantText(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("got error %v, want %q", err, text)
	}
}

// wantIDs leaves out letter case, in which releases differ.
func wantIDs(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.EqualFunc(got, want, strings.EqualFold) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func document(t *testing.T, settings any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(settings)
	check(t, err)
	return text
}

// wantMembers asks for every member of one document in the other, which may have more.
func wantMembers(t *testing.T, got json.RawMessage, want any) {
	t.Helper()
	var kept, sent map[string]any
	check(t, json.Unmarshal(got, &kept))
	check(t, json.Unmarshal(document(t, want), &sent))
	for member, value := range sent {
		if !reflect.DeepEqual(kept[member], value) {
			t.Errorf("%s: got %v, want %v", member, kept[member], value)
		}
	}
}

func unmarshal(t *testing.T, document json.RawMessage, into any) {
	t.Helper()
	check(t, json.Unmarshal(document, into))
}

func subnet(prefix, gateway string, policies ...hcn.SubnetPolicy) []hcn.Ipam {
	made := hcn.Subnet{
		IpAddressPrefix: prefix,
		Routes:          []hcn.Route{{NextHop: gateway, DestinationPrefix: "0.0.0.0/0"}},
	}
	for _, policy := range policies {
		text, _ := json.Marshal(policy)
		made.Policies = append(made.Policies, text)
	}
	return []hcn.Ipam{{Type: "Static", Subnets: []hcn.Subnet{made}}}
}

func newNetwork(t *testing.T, network hcn.HostComputeNetwork) *hcn.HostComputeNetwork {
	t.Helper()
	network.SchemaVersion = hcn.V2SchemaVersion()
	made, err := network.Create()
	check(t, err)
	t.Cleanup(func() { gone(t, made.Delete()) })
	return made
}

// gone takes what a test has deleted itself for deleted.
func gone(t *testing.T, err error) {
	t.Helper()
	if err != nil && !hcn.IsNetworkNotFoundError(err) && !hcn.IsElementNotFoundError(err) {
		t.Errorf("it stays: %v", err)
	}
}

func natNetwork(t *testing.T) *hcn.HostComputeNetwork {
	t.Helper()
	return newNetwork(t, hcn.HostComputeNetwork{
		Name: "lib-nat", Type: hcn.NAT, Ipams: subnet("192.168.80.0/24", "192.168.80.1"),
	})
}

func bridgeNetwork(t *testing.T) *hcn.HostComputeNetwork {
	t.Helper()
	return newNetwork(t, hcn.HostComputeNetwork{
		Name: "lib-bridge", Type: hcn.L2Bridge, Ipams: subnet("192.168.81.0/24", "192.168.81.1"),
	})
}

func overlayNetwork(t *testing.T) *hcn.HostComputeNetwork {
	t.Helper()
	vsid := hcn.SubnetPolicy{Type: hcn.VSID, Settings: document(t, hcn.VsidPolicySetting{IsolationId: 4096})}
	return newNetwork(t, hcn.HostComputeNetwork{
		Name: "lib-overlay", Type: hcn.Overlay, Ipams: subnet("192.168.82.0/24", "192.168.82.1", vsid),
	})
}

// newEndpoint needs no cleanup of its own: a network takes its endpoints with it.
func newEndpoint(t *testing.T, network *hcn.HostComputeNetwork, name string, policies ...hcn.EndpointPolicy) *hcn.HostComputeEndpoint {
	t.Helper()
	made, err := network.CreateEndpoint(&hcn.HostComputeEndpoint{
		Name: name, Policies: policies, SchemaVersion: hcn.V2SchemaVersion(),
	})
	check(t, err)
	return made
}

func newRemoteEndpoint(t *testing.T, network *hcn.HostComputeNetwork, ip string) *hcn.HostComputeEndpoint {
	t.Helper()
	made, err := network.CreateRemoteEndpoint(&hcn.HostComputeEndpoint{
		Name:             "remote",
		IpConfigurations: []hcn.IpConfig{{IpAddress: ip, PrefixLength: 24}},
		MacAddress:       "02-11-22-33-44-66",
		Policies: []hcn.EndpointPolicy{{
			Type:     hcn.NetworkProviderAddress,
			Settings: document(t, hcn.ProviderAddressEndpointPolicySetting{ProviderAddress: "10.127.0.99"}),
		}},
		SchemaVersion: hcn.V2SchemaVersion(),
	})
	check(t, err)
	return made
}

func newNamespace(t *testing.T, kind hcn.NamespaceType) *hcn.HostComputeNamespace {
	t.Helper()
	made, err := hcn.NewNamespace(kind).Create()
	check(t, err)
	t.Cleanup(func() { gone(t, made.Delete()) })
	return made
}

// holdContainer puts a container into a namespace; it is out again before the namespace is deleted.
func holdContainer(t *testing.T, namespace, container string) {
	t.Helper()
	change := func(request hcn.RequestType) error {
		return hcn.ModifyNamespaceSettings(namespace, &hcn.ModifyNamespaceSettingRequest{
			ResourceType: hcn.NamespaceResourceTypeContainer,
			RequestType:  request,
			Settings:     document(t, map[string]string{"ContainerId": container}),
		})
	}
	check(t, change(hcn.RequestTypeAdd))
	t.Cleanup(func() { check(t, change(hcn.RequestTypeRemove)) })
}

// newContainer asks the Host Compute Service itself, which hnslib has nothing for.
func newContainer(t *testing.T, id string) {
	t.Helper()
	service := windows.NewLazySystemDLL("vmcompute.dll")
	call := func(function string, arguments ...uintptr) {
		t.Helper()
		if hresult, _, _ := service.NewProc(function).Call(arguments...); hresult != 0 {
			t.Fatalf("%s: %#x", function, uint32(hresult))
		}
	}
	name, err := syscall.UTF16PtrFromString(id)
	check(t, err)
	settings, err := syscall.UTF16PtrFromString(`{"SystemType": "Container"}`)
	check(t, err)
	var system uintptr
	var result *uint16
	call("HcsCreateComputeSystem", uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(settings)), 0,
		uintptr(unsafe.Pointer(&system)), uintptr(unsafe.Pointer(&result)))
	t.Cleanup(func() {
		call("HcsTerminateComputeSystem", system, 0, uintptr(unsafe.Pointer(&result)))
		call("HcsCloseComputeSystem", system)
	})
}
