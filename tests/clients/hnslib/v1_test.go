package hnslib_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/Microsoft/hnslib"
	"github.com/Microsoft/hnslib/hcn"
)

// The numbers are HNS's; hnslib has no names for them, and its texts for them are one off.
const (
	created = iota + 1
	attached
	sharing
	detached
)

func v1Network(t *testing.T) *hnslib.HNSNetwork {
	t.Helper()
	network, err := (&hnslib.HNSNetwork{
		Name:     "lib-v1",
		Type:     "NAT",
		MacPools: []hnslib.MacPool{{StartMacAddress: "00-15-5D-52-C0-00", EndMacAddress: "00-15-5D-52-CF-FF"}},
		Subnets:  []hnslib.Subnet{{AddressPrefix: "192.168.86.0/24", GatewayAddress: "192.168.86.1"}},
	}).Create()
	check(t, err)
	t.Cleanup(func() {
		if _, err := network.Delete(); err != nil {
			wantText(t, err, "The network was not found.")
		}
	})
	return network
}

func v1Endpoint(t *testing.T, network *hnslib.HNSNetwork, name string) *hnslib.HNSEndpoint {
	t.Helper()
	endpoint, err := network.CreateEndpoint(&hnslib.HNSEndpoint{Name: name})
	check(t, err)
	return endpoint
}

// v1 finds an endpoint by listing all: hnslib has no function for one.
func v1Found(t *testing.T, endpoint *hnslib.HNSEndpoint) hnslib.HNSEndpoint {
	t.Helper()
	endpoints, err := hnslib.HNSListEndpointRequest()
	check(t, err)
	at := slices.IndexFunc(endpoints, func(e hnslib.HNSEndpoint) bool { return e.Id == endpoint.Id })
	if at < 0 {
		t.Fatalf("%s is not listed", endpoint.Name)
	}
	return endpoints[at]
}

func TestAV1NetworkIsListedAndDeleted(t *testing.T) {
	network := v1Network(t)
	listed := func() bool {
		networks, err := hnslib.HNSListNetworkRequest("GET", "", "")
		check(t, err)
		return slices.ContainsFunc(networks, func(n hnslib.HNSNetwork) bool { return n.Id == network.Id && n.Name == network.Name })
	}
	wantEqual(t, "listed", listed(), true)
	_, err := network.Delete()
	check(t, err)
	wantEqual(t, "listed", listed(), false)
}

func TestAV1NetworkIsV2sToo(t *testing.T) {
	network := v1Network(t)
	found, err := hcn.GetNetworkByID(network.Id)
	check(t, err)
	wantEqual(t, "name", found.Name, network.Name)
	wantEqual(t, "prefix", found.Ipams[0].Subnets[0].IpAddressPrefix, network.Subnets[0].AddressPrefix)
	wantEqual(t, "MACs", found.MacPool.Ranges[0], hcn.MacRange(network.MacPools[0]))
}

func TestAV1EndpointIsCreatedUpdatedAndDeleted(t *testing.T) {
	network := v1Network(t)
	asked := network.NewEndpoint(net.IPv4(192, 168, 86, 20), nil)
	asked.Name = "before"
	endpoint, err := asked.Create()
	check(t, err)
	wantEqual(t, "address", endpoint.IPAddress.String(), "192.168.86.20")
	wantEqual(t, "state", endpoint.State, created)
	_, err = (&hnslib.HNSEndpoint{Id: endpoint.Id, Name: "after"}).Update()
	check(t, err)
	wantEqual(t, "name", v1Found(t, endpoint).Name, "after")
	_, err = endpoint.Delete()
	check(t, err)
	_, err = endpoint.Delete()
	wantText(t, err, "The endpoint was not found.")
}

func TestAV1EndpointIsAttachedToTheHost(t *testing.T) {
	endpoint := v1Endpoint(t, v1Network(t), "host")
	check(t, endpoint.HostAttach(1))
	wantEqual(t, "state", v1Found(t, endpoint).State, attached)
	check(t, endpoint.HostDetach())
	wantEqual(t, "state", v1Found(t, endpoint).State, detached)
}

func TestAV1EndpointIsAttachedToContainers(t *testing.T) {
	endpoint := v1Endpoint(t, v1Network(t), "container")
	newContainer(t, "lib-first")
	newContainer(t, "lib-second")
	check(t, endpoint.ContainerAttach("lib-first", 0))
	wantEqual(t, "state", v1Found(t, endpoint).State, attached)
	check(t, endpoint.ContainerAttach("lib-second", 0))
	wantEqual(t, "state", v1Found(t, endpoint).State, sharing)
	for container, want := range map[string]bool{"lib-first": true, "LIB-SECOND": true, "lib-third": false} {
		is, err := endpoint.IsAttached(container)
		check(t, err)
		wantEqual(t, container, is, want)
	}
}

func TestAV1EndpointIsDetachedFromItsContainer(t *testing.T) {
	endpoint := v1Endpoint(t, v1Network(t), "leaves")
	newContainer(t, "lib-left")
	check(t, endpoint.ContainerAttach("lib-left", 0))
	check(t, endpoint.ContainerDetach("lib-left"))
	is, err := endpoint.IsAttached("lib-left")
	check(t, err)
	wantEqual(t, "attached", is, false)
	wantEqual(t, "state", v1Found(t, endpoint).State, detached)
}

// A node has no virtual machines.
func TestAV1EndpointIsNotAttachedToAVirtualMachine(t *testing.T) {
	endpoint := v1Endpoint(t, v1Network(t), "machine")
	wantText(t, endpoint.VirtualMachineNICAttach("nic"), "0x803b0015")
	wantText(t, endpoint.VirtualMachineNICDetach(), "0x490")
}

func TestV1StatisticsAreTheEndpoints(t *testing.T) {
	endpoint := v1Endpoint(t, v1Network(t), "silent")
	stats, err := hnslib.GetHNSEndpointStats(endpoint.Id)
	check(t, err)
	wantEqual(t, "endpoint", strings.ToUpper(stats.EndpointID), strings.ToUpper(endpoint.Id))
	wantEqual(t, "counters", *stats, hnslib.HNSEndpointStats{EndpointID: stats.EndpointID, InstanceID: stats.InstanceID})
}

// hnslib has no names for the policies' types, so that without policies is all that one can call.
func TestApplyingNoV1PolicyChangesNothing(t *testing.T) {
	endpoint := v1Endpoint(t, v1Network(t), "policies")
	check(t, endpoint.ApplyACLPolicy())
	check(t, endpoint.ApplyProxyPolicy())
	found := v1Found(t, endpoint)
	wantEqual(t, "policies", len(found.Policies), 0)
	wantEqual(t, "address", found.IPAddress.String(), endpoint.IPAddress.String())
}

func TestAV1EndpointNamesItsNamespace(t *testing.T) {
	endpoint, namespace := v1Endpoint(t, v1Network(t), "inside"), newNamespace(t, hcn.NamespaceTypeHost)
	check(t, hcn.AddNamespaceEndpoint(namespace.Id, endpoint.Id))
	var found *hnslib.Namespace = v1Found(t, endpoint).Namespace
	if found == nil {
		t.Fatal("it names none")
	}
	wantIDs(t, "namespace", []string{found.ID}, namespace.Id)
}

func TestAV1PolicyListIsMadeChangedAndDeleted(t *testing.T) {
	overlay := overlayNetwork(t)
	network := hnslib.HNSNetwork{Id: overlay.Id}
	first := v1Endpoint(t, &network, "first")
	second, err := network.CreateRemoteEndpoint(&hnslib.HNSEndpoint{
		Name: "second", IPAddress: net.IPv4(192, 168, 82, 71), MacAddress: "02-11-22-33-44-67",
		Policies: []json.RawMessage{[]byte(`{"Type": "PA", "PA": "10.127.0.99"}`)},
	})
	check(t, err)
	wantEqual(t, "remote", second.IsRemoteEndpoint, true)
	made, err := (&hnslib.PolicyList{
		EndpointReferences: []string{"/endpoints/" + first.Id},
		Policies:           []json.RawMessage{[]byte(`{"Type": "ELB", "Protocol": 6, "InternalPort": 80, "ExternalPort": 80, "VIPs": ["10.96.0.30"]}`)},
	}).Create()
	check(t, err)
	both, err := made.AddEndpoint(second)
	check(t, err)
	wantIDs(t, "references", both.EndpointReferences, "/endpoints/"+first.Id, "/endpoints/"+second.Id)
	one, err := both.RemoveEndpoint(second)
	check(t, err)
	lists, err := hnslib.HNSListPolicyListRequest()
	check(t, err)
	wantEqual(t, "lists", len(lists), 1)
	wantEqual(t, "id", lists[0].ID, one.ID)
	wantIDs(t, "references", lists[0].EndpointReferences, "/endpoints/"+first.Id)
	_, err = one.Delete()
	check(t, err)
	_, err = one.Delete()
	wantText(t, err, "Element not found.")
}

func TestV1sVersionIsV2s(t *testing.T) {
	globals, err := hnslib.GetHNSGlobals()
	check(t, err)
	wantEqual(t, "globals", *globals, hnslib.HNSGlobals{Version: hnslib.HNSVersion{Major: version.Major, Minor: version.Minor}})
	wantEqual(t, "since 1803", since(hnslib.HNSVersion1803.Major, hnslib.HNSVersion1803.Minor), true)
	acls := hnslib.HNSAclFeatures{AclAddressLists: true, AclNoHostRulePriority: true, AclPortRanges: true, AclRuleId: true}
	wantEqual(t, "features", hnslib.GetHNSSupportedFeatures(), hnslib.HNSSupportedFeatures{Acl: acls})
}

func TestWhatV1DoesNotFindIsNamed(t *testing.T) {
	wantEqual(t, "network", hnslib.NetworkNotFoundError{NetworkName: "n"}.Error(), "Network n not found")
	wantEqual(t, "endpoint", hnslib.EndpointNotFoundError{EndpointName: "n"}.Error(), "Endpoint n not found")
}

func TestManagementMACsAreSetAndDeleted(t *testing.T) {
	macs := []string{"00-15-5D-0A-B7-C6", "00-15-5D-38-01-00"}
	set := func() (*hnslib.HNSNnvManagementMacList, error) { return hnslib.SetNnvManagementMacAddresses(macs) }
	setAgain := func() (*hnslib.HNSNnvManagementMacList, error) {
		return (&hnslib.HNSNnvManagementMacList{
			MacAddressList: []hnslib.HNSNnvManagementMacAddress{{MacAddress: "00-15-5D-00-00-01"}},
		}).Set()
	}
	for step, call := range []struct {
		call    func() (*hnslib.HNSNnvManagementMacList, error)
		want    []string
		refusal string
	}{
		{set, macs, "0x803b0015"},
		{hnslib.GetNnvManagementMacAddresses, macs, "The specified request is unsupported."},
		{setAgain, []string{"00-15-5D-00-00-01"}, "0x803b0015"},
		{hnslib.DeleteNnvManagementMacAddresses, nil, "The specified request is unsupported."},
		{hnslib.GetNnvManagementMacAddresses, nil, "The specified request is unsupported."},
	} {
		list, err := call.call()
		if hcn.AccelnetSupported() != nil {
			wantText(t, err, call.refusal)
			continue
		}
		check(t, err)
		var got []string
		for _, entry := range list.MacAddressList {
			got = append(got, entry.MacAddress)
		}
		wantIDs(t, fmt.Sprintf("MACs after step %d", step), got, call.want...)
	}
}

func TestNoMACsAreNotSent(t *testing.T) {
	if _, err := hnslib.SetNnvManagementMacAddresses(nil); !errors.Is(err, hnslib.ErrorEmptyMacAddressList) {
		t.Errorf("got error %v", err)
	}
}
