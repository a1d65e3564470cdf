package hcn_test

import (
	"encoding/json"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/Microsoft/hcsshim"
	"github.com/Microsoft/hcsshim/hcn"
	"golang.org/x/sys/windows"
)

// completed gives a network of v1 a name and a subnet.
func completed(t *testing.T, network hcsshim.HNSNetwork) hcsshim.HNSNetwork {
	t.Helper()
	network.Name = t.Name()
	network.MacPools = []hcsshim.MacPool{{StartMacAddress: firstMac, EndMacAddress: lastMac}}
	network.Subnets = []hcsshim.Subnet{{AddressPrefix: prefix, GatewayAddress: gateway}}
	return network
}

// createV1Network creates a network by v1 for the time of the test.
func createV1Network(t *testing.T, network hcsshim.HNSNetwork) *hcsshim.HNSNetwork {
	t.Helper()
	network = completed(t, network)
	made := must(network.Create())(t)
	t.Cleanup(func() { checkGone(t, (&hcn.HostComputeNetwork{Id: made.Id}).Delete(), networkNotFound) })
	return made
}

// createV1Endpoint creates an endpoint by v1; it goes with its network.
func createV1Endpoint(t *testing.T, network *hcsshim.HNSNetwork, endpoint hcsshim.HNSEndpoint) *hcsshim.HNSEndpoint {
	t.Helper()
	endpoint.Name = t.Name()
	return must(network.CreateEndpoint(&endpoint))(t)
}

// call calls a function of v2's DLL: the library hands on no documents of another schema than its own.
func call(t *testing.T, function string, handles []uintptr, pointers ...unsafe.Pointer) {
	t.Helper()
	var record *uint16
	pointers = append(pointers, unsafe.Pointer(&record))
	arguments := slices.Clone(handles)
	for _, pointer := range pointers {
		arguments = append(arguments, uintptr(pointer))
	}
	result, _, _ := windows.NewLazySystemDLL("computenetwork.dll").NewProc(function).Call(arguments...)
	runtime.KeepAlive(pointers)
	if result != 0 {
		t.Fatalf("%s: %#x %s", function, result, windows.UTF16PtrToString(record))
	}
}

func closeHandle(t *testing.T, function string, handle uintptr) {
	t.Helper()
	result, _, _ := windows.NewLazySystemDLL("computenetwork.dll").NewProc(function).Call(handle)
	wantEqual(t, result, uintptr(0))
}

func text(t *testing.T, document any) unsafe.Pointer {
	t.Helper()
	return unsafe.Pointer(must(windows.UTF16PtrFromString(string(marshal(t, document))))(t))
}

func TestV2TakesDocumentsOfV1(t *testing.T) {
	asked := completed(t, hcsshim.HNSNetwork{Type: "NAT"})
	networkID := must(windows.GenerateGUID())(t)
	var network, endpoint uintptr
	call(t, "HcnCreateNetwork", nil, unsafe.Pointer(&networkID), text(t, asked), unsafe.Pointer(&network))
	t.Cleanup(func() { closeHandle(t, "HcnCloseNetwork", network) })
	made := must(hcn.GetNetworkByName(t.Name()))(t)
	t.Cleanup(func() { checkGone(t, made.Delete(), networkNotFound) })
	wantEqual(t, made.Type, hcn.NAT)
	wantEqual(t, made.Ipams[0].Subnets[0].IpAddressPrefix, prefix)
	wantEqual(t, made.Ipams[0].Subnets[0].Routes, []hcn.Route{{NextHop: gateway, DestinationPrefix: "0.0.0.0/0"}})
	if !sameIDs([]string{"{" + made.Id + "}"}, networkID.String()) {
		t.Fatalf("got the id %s, asked for %s", made.Id, networkID)
	}

	endpointID := must(windows.GenerateGUID())(t)
	document := hcsshim.HNSEndpoint{Name: t.Name(), VirtualNetwork: made.Id}
	call(t, "HcnCreateEndpoint", []uintptr{network},
		unsafe.Pointer(&endpointID), text(t, document), unsafe.Pointer(&endpoint))
	closeHandle(t, "HcnCloseEndpoint", endpoint)
	found := must(hcn.GetEndpointByName(t.Name()))(t)
	wantEqual(t, len(found.IpConfigurations), 1)
	check(t, found.Delete())
}

func TestANetworkOfV1IsCreatedAndDeleted(t *testing.T) {
	network := createV1Network(t, hcsshim.HNSNetwork{Type: "NAT"})
	wantEqual(t, network.Subnets[0].AddressPrefix, prefix)
	networks := must(hcsshim.HNSListNetworkRequest("GET", "", ""))(t)
	if !slices.ContainsFunc(networks, func(one hcsshim.HNSNetwork) bool { return one.Id == network.Id }) {
		t.Fatalf("got %+v", networks)
	}
	must(network.Delete())(t)
	_, err := hcn.GetNetworkByID(network.Id)
	wantEqual(t, err, error(hcn.NetworkNotFoundError{NetworkID: network.Id}))
}

func TestAnEndpointOfV1IsAttachedToTheHost(t *testing.T) {
	endpoint := createV1Endpoint(t, createV1Network(t, hcsshim.HNSNetwork{Type: "NAT"}), hcsshim.HNSEndpoint{})
	const host = 1
	check(t, endpoint.HostAttach(host))
	check(t, endpoint.HostDetach())
	must(endpoint.Delete())(t)
	endpoints := must(hcsshim.HNSListEndpointRequest())(t)
	if slices.ContainsFunc(endpoints, func(one hcsshim.HNSEndpoint) bool { return one.Id == endpoint.Id }) {
		t.Fatalf("it is still among %+v", endpoints)
	}
}

func TestEveryEndpointHasStatistics(t *testing.T) {
	network := createV1Network(t, hcsshim.HNSNetwork{Type: "NAT"})
	createV1Endpoint(t, network, hcsshim.HNSEndpoint{})
	createV1Endpoint(t, network, hcsshim.HNSEndpoint{})
	endpoints := must(hcsshim.HNSListEndpointRequest())(t)
	if len(endpoints) < 2 {
		t.Fatalf("got %+v", endpoints)
	}
	for _, endpoint := range endpoints {
		statistics := must(hcsshim.GetHNSEndpointStats(endpoint.Id))(t)
		if !sameIDs([]string{statistics.EndpointID}, endpoint.Id) {
			t.Errorf("got those of %s, asked for %s", statistics.EndpointID, endpoint.Id)
		}
	}
}

func TestBothVersionsShowTheSameNetwork(t *testing.T) {
	network := newNetwork(t, hcn.Overlay)
	seen := must(hcsshim.GetHNSNetworkByName(network.Name))(t)
	if !sameIDs([]string{seen.Id}, network.Id) {
		t.Fatalf("got %s, want %s", seen.Id, network.Id)
	}
	wantEqual(t, seen.Type, string(hcn.Overlay))
	wantEqual(t, seen.Subnets[0].AddressPrefix, prefix)
	wantEqual(t, seen.Subnets[0].GatewayAddress, gateway)
	var isolation struct{ VSID uint32 }
	check(t, json.Unmarshal(seen.Subnets[0].Policies[0], &isolation))
	wantEqual(t, isolation.VSID, uint32(vsid))
}

func TestBothVersionsShowTheSameEndpoint(t *testing.T) {
	asked := addressed(t, "192.168.100.40", 24)
	mapping := hcn.PortMappingPolicySetting{Protocol: uint32(hcn.ProtocolTypeTCP), InternalPort: 80, ExternalPort: 30079}
	asked.Policies = []hcn.EndpointPolicy{endpointPolicy(t, hcn.PortMapping, mapping)}
	endpoint := createEndpoint(t, newNetwork(t, hcn.NAT), asked)
	seen := must(hcsshim.GetHNSEndpointByName(endpoint.Name))(t)
	wantEqual(t, seen.IPAddress.String(), "192.168.100.40")
	wantEqual(t, seen.GatewayAddress, gateway)
	wantEqual(t, seen.MacAddress, endpoint.MacAddress)
	var policy hcsshim.NatPolicy
	check(t, json.Unmarshal(seen.Policies[0], &policy))
	wantEqual(t, policy, hcsshim.NatPolicy{Type: hcsshim.Nat, Protocol: "TCP", InternalPort: 80, ExternalPort: 30079})
}

func TestAcceleratedNetworkingLeavesManagementMacsAlone(t *testing.T) {
	macs := []string{"00-15-5D-0A-B7-C6", "00-15-5D-38-01-00"}
	set, err := hcsshim.SetNnvManagementMacAddresses(macs)
	if hcn.AccelnetSupported() != nil {
		if err == nil {
			t.Fatal("it was accepted")
		}
		return
	}
	check(t, err)
	t.Cleanup(func() { _, _ = hcsshim.DeleteNnvManagementMacAddresses() })
	wantEqual(t, len(set.MacAddressList), 2)
	kept := must(hcsshim.GetNnvManagementMacAddresses())(t)
	wantEqual(t, kept, set)
	for i, mac := range macs {
		wantEqual(t, kept.MacAddressList[i].MacAddress, mac)
	}
	wantEqual(t, len(must(hcsshim.DeleteNnvManagementMacAddresses())(t).MacAddressList), 0)
	wantEqual(t, len(must(hcsshim.GetNnvManagementMacAddresses())(t).MacAddressList), 0)
}
