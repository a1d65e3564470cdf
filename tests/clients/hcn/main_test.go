// Package hcn_test calls all that hcsshim's package hcn exports, on the HNS of the node it runs on.
//
// The three releases differ; a test of what a release lacks asserts how that release refuses it.
package hcn_test

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/Microsoft/hcsshim/hcn"
	"golang.org/x/sys/windows"
)

const (
	prefix  = "192.168.100.0/24"
	gateway = "192.168.100.1"
	missing = "7b1f3d5e-0c2a-4f6b-9e8d-a1b2c3d4e5f6"

	firstMac = "00-15-5D-52-C0-00"
	lastMac  = "00-15-5D-52-CF-FF"

	vsid = 5000
)

// What HNS answers with, as hcsshim hands it on.
const (
	networkNotFound    = hcn.ErrorCode(windows.HCN_E_NETWORK_NOT_FOUND)
	endpointNotFound   = hcn.ErrorCode(windows.HCN_E_ENDPOINT_NOT_FOUND)
	invalidPolicyType  = hcn.ErrorCode(windows.HCN_E_INVALID_POLICY_TYPE)
	invalidPolicy      = hcn.ErrorCode(windows.HCN_E_INVALID_POLICY)
	policyNotFound     = hcn.ErrorCode(windows.HCN_E_POLICY_NOT_FOUND)
	requestUnsupported = hcn.ErrorCode(windows.HCN_E_REQUEST_UNSUPPORTED)
	alreadyExists      = hcn.ErrorCode(windows.ERROR_ALREADY_EXISTS)
)

// must ends the test where a call failed, and returns what it gave otherwise: must(hcn.ListNetworks())(t).
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		check(t, err)
		return value
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantCode ends the test unless HNS refused with this code.
func wantCode(t *testing.T, err error, code hcn.ErrorCode) {
	t.Helper()
	if !hcn.CheckErrorWithCode(err, code) {
		t.Fatalf("got %v, want the code %#x", err, uint32(code))
	}
}

// wantText ends the test unless hcsshim itself refused with this text.
func wantText(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Fatalf("got %v, want %q", err, text)
	}
}

func wantEqual(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

// since tells whether the node's HNS is of this version or a later one.
func since(t *testing.T, major, minor int) bool {
	t.Helper()
	version := must(hcn.GetGlobals())(t).Version
	return version.Major > major || version.Major == major && version.Minor >= minor
}

func marshal(t *testing.T, value any) json.RawMessage {
	t.Helper()
	return must(json.Marshal(value))(t)
}

// decoded reads settings as a value of the type that sample has.
func decoded(t *testing.T, settings json.RawMessage, sample any) any {
	t.Helper()
	value := reflect.New(reflect.TypeOf(sample))
	check(t, json.Unmarshal(settings, value.Interface()))
	return value.Elem().Interface()
}

// sameIDs compares sets of ids; releases write them in different case.
func sameIDs(got []string, want ...string) bool {
	lower := func(ids []string) []string {
		out := make([]string, len(ids))
		for i, id := range ids {
			out[i] = strings.ToLower(id)
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(lower(got), lower(want))
}

// subnet has one route, to destination through nextHop.
func subnet(prefix, nextHop, destination string) hcn.Subnet {
	return hcn.Subnet{
		IpAddressPrefix: prefix,
		Routes:          []hcn.Route{{NextHop: nextHop, DestinationPrefix: destination}},
	}
}

// definition describes a network called after the test, with one subnet.
func definition(t *testing.T, kind hcn.NetworkType, policies ...hcn.NetworkPolicy) *hcn.HostComputeNetwork {
	t.Helper()
	only := subnet(prefix, gateway, "0.0.0.0/0")
	if kind == hcn.Overlay {
		isolation := hcn.SubnetPolicy{Type: hcn.VSID, Settings: marshal(t, hcn.VsidPolicySetting{IsolationId: vsid})}
		only.Policies = []json.RawMessage{marshal(t, isolation)}
	}
	return &hcn.HostComputeNetwork{
		Name:          t.Name(),
		Type:          kind,
		Policies:      policies,
		MacPool:       hcn.MacPool{Ranges: []hcn.MacRange{{StartMacAddress: firstMac, EndMacAddress: lastMac}}},
		Ipams:         []hcn.Ipam{{Type: "Static", Subnets: []hcn.Subnet{only}}},
		Flags:         hcn.EnableNonPersistent,
		SchemaVersion: hcn.V2SchemaVersion(),
	}
}

// createNetwork creates a network for the time of the test.
func createNetwork(t *testing.T, definition *hcn.HostComputeNetwork) *hcn.HostComputeNetwork {
	t.Helper()
	network := must(definition.Create())(t)
	t.Cleanup(func() { checkGone(t, network.Delete(), networkNotFound) })
	return network
}

func newNetwork(t *testing.T, kind hcn.NetworkType) *hcn.HostComputeNetwork {
	t.Helper()
	return createNetwork(t, definition(t, kind))
}

// createEndpoint creates an endpoint for the time of the test.
func createEndpoint(
	t *testing.T, network *hcn.HostComputeNetwork, definition hcn.HostComputeEndpoint,
) *hcn.HostComputeEndpoint {
	t.Helper()
	definition.SchemaVersion = hcn.V2SchemaVersion()
	endpoint := must(network.CreateEndpoint(&definition))(t)
	t.Cleanup(func() { checkGone(t, endpoint.Delete(), endpointNotFound) })
	return endpoint
}

func newEndpoint(t *testing.T, network *hcn.HostComputeNetwork) *hcn.HostComputeEndpoint {
	t.Helper()
	return createEndpoint(t, network, hcn.HostComputeEndpoint{Name: t.Name()})
}

// createNamespace creates a namespace for the time of the test.
func createNamespace(t *testing.T, definition *hcn.HostComputeNamespace) *hcn.HostComputeNamespace {
	t.Helper()
	namespace := must(definition.Create())(t)
	t.Cleanup(func() { checkGone(t, namespace.Delete(), hcn.ERROR_NOT_FOUND) })
	return namespace
}

func newNamespace(t *testing.T) *hcn.HostComputeNamespace {
	t.Helper()
	return createNamespace(t, hcn.NewNamespace(hcn.NamespaceTypeHost))
}

// checkGone takes a second deletion for none: many tests delete what their cleanup deletes.
func checkGone(t *testing.T, err error, notFound hcn.ErrorCode) {
	t.Helper()
	if err != nil && !hcn.CheckErrorWithCode(err, notFound) {
		t.Error(err)
	}
}

// inSubnet tells whether an endpoint's address is one of the test networks' subnet.
func inSubnet(t *testing.T, address string) bool {
	t.Helper()
	return netip.MustParsePrefix(prefix).Contains(must(netip.ParseAddr(address))(t))
}
