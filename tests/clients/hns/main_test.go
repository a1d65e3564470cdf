// Package hns_test calls all of version 1 of HNS's API as hcsshim has it, on a node of any release.
package hns_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/Microsoft/hcsshim"
)

// A GUID that no object has.
const missing = "6B1C4D2A-0F3E-4B7C-9A58-2D7E10C4F9B3"

// By its version tests tell the release of the node that they run on.
var version hcsshim.HNSVersion

func TestMain(m *testing.M) {
	globals, err := hcsshim.GetHNSGlobals()
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

// wantCode is for what is sent with POST: HNS refuses it with the HRESULT itself.
func wantCode(t *testing.T, err error, code syscall.Errno) {
	t.Helper()
	var refusal *hcsshim.HcsError
	if !errors.As(err, &refusal) || !errors.Is(refusal.Err, code) {
		t.Errorf("got error %v, want %#x", err, uint32(code))
	}
}

// wantText is for all other methods: HNS refuses them with a text in its answer.
func wantText(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("got error %v, want %q", err, text)
	}
}

func newNetwork(t *testing.T, network hcsshim.HNSNetwork) *hcsshim.HNSNetwork {
	t.Helper()
	made, err := network.Create()
	check(t, err)
	t.Cleanup(func() {
		if _, err := made.Delete(); err != nil && !strings.Contains(err.Error(), "not found") {
			t.Errorf("network %s stays: %v", made.Name, err)
		}
	})
	return made
}

func natNetwork(t *testing.T) *hcsshim.HNSNetwork {
	t.Helper()
	return newNetwork(t, hcsshim.HNSNetwork{
		Name:    "v1-nat",
		Type:    "NAT",
		Subnets: []hcsshim.Subnet{{AddressPrefix: "192.168.90.0/24", GatewayAddress: "192.168.90.1"}},
	})
}

func bridgeNetwork(t *testing.T) *hcsshim.HNSNetwork {
	t.Helper()
	return newNetwork(t, hcsshim.HNSNetwork{
		Name:    "v1-bridge",
		Type:    "L2Bridge",
		Subnets: []hcsshim.Subnet{{AddressPrefix: "192.168.91.0/24", GatewayAddress: "192.168.91.1"}},
	})
}

func overlayNetwork(t *testing.T) *hcsshim.HNSNetwork {
	t.Helper()
	return newNetwork(t, hcsshim.HNSNetwork{
		Name: "v1-overlay",
		Type: "Overlay",
		Subnets: []hcsshim.Subnet{{
			AddressPrefix:  "192.168.92.0/24",
			GatewayAddress: "192.168.92.1",
			Policies:       raw(t, hcsshim.VsidPolicy{Type: hcsshim.VSID, VSID: 4097}),
		}},
	})
}

// newEndpoint needs no cleanup of its own: a network takes its endpoints with it.
func newEndpoint(t *testing.T, network *hcsshim.HNSNetwork, name string) *hcsshim.HNSEndpoint {
	t.Helper()
	made, err := network.CreateEndpoint(&hcsshim.HNSEndpoint{Name: name})
	check(t, err)
	return made
}

func newRemoteEndpoint(t *testing.T, network *hcsshim.HNSNetwork, ip string) *hcsshim.HNSEndpoint {
	t.Helper()
	made, err := network.CreateRemoteEndpoint(&hcsshim.HNSEndpoint{
		Name:       "remote",
		IPAddress:  net.ParseIP(ip),
		MacAddress: "02-11-22-33-44-55",
		Policies:   raw(t, hcsshim.PaPolicy{Type: hcsshim.PA, PA: "10.127.0.99"}),
	})
	check(t, err)
	return made
}

func raw(t *testing.T, policies ...any) []json.RawMessage {
	t.Helper()
	var documents []json.RawMessage
	for _, policy := range policies {
		document, err := json.Marshal(policy)
		check(t, err)
		documents = append(documents, document)
	}
	return documents
}

// policyOf reads the only policy of one type; without exactly one of it the test fails.
func policyOf[T any](t *testing.T, policies []json.RawMessage, kind hcsshim.PolicyType) T {
	t.Helper()
	var policy T
	found := slices.DeleteFunc(slices.Clone(policies), func(document json.RawMessage) bool {
		var header hcsshim.Policy
		check(t, json.Unmarshal(document, &header))
		return header.Type != kind
	})
	if len(found) != 1 {
		t.Fatalf("got %d policies of type %s in %s, want one", len(found), kind, policies)
	}
	check(t, json.Unmarshal(found[0], &policy))
	return policy
}

func newContainer(t *testing.T, id string, config hcsshim.ContainerConfig) hcsshim.Container {
	t.Helper()
	config.SystemType = "Container"
	container, err := hcsshim.CreateContainer(id, &config)
	check(t, err)
	t.Cleanup(func() {
		if err := container.Terminate(); !hcsshim.IsPending(err) {
			t.Errorf("container %s stays: %v", id, err)
		}
		check(t, container.Close())
	})
	return container
}
