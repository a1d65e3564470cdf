package hcn_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/Microsoft/hcsshim/hcn"
	"golang.org/x/sys/windows"
)

const addressRefused = hcn.ErrorCode(windows.HCN_E_ADDR_INVALID_OR_RESERVED)

// addressed describes an endpoint called after the test, with an address of its own choice.
func addressed(t *testing.T, address string, length uint8) hcn.HostComputeEndpoint {
	return hcn.HostComputeEndpoint{
		Name:             t.Name(),
		IpConfigurations: []hcn.IpConfig{{IpAddress: address, PrefixLength: length}},
		SchemaVersion:    hcn.V2SchemaVersion(),
	}
}

func TestAnEndpointIsCreatedAndDeleted(t *testing.T) {
	for _, kind := range []hcn.NetworkType{hcn.NAT, hcn.L2Bridge, hcn.Overlay} {
		t.Run(string(kind), func(t *testing.T) {
			network := newNetwork(t, kind)
			endpoint := newEndpoint(t, network)
			wantEqual(t, endpoint.Name, t.Name())
			wantEqual(t, endpoint.SchemaVersion, hcn.V2SchemaVersion())
			if !strings.EqualFold(endpoint.HostComputeNetwork, network.Id) {
				t.Fatalf("it is on %s, not on %s", endpoint.HostComputeNetwork, network.Id)
			}
			check(t, endpoint.Delete())
			_, err := hcn.GetEndpointByID(endpoint.Id)
			if !hcn.IsNotFoundError(err) {
				t.Fatal(err)
			}
			wantCode(t, endpoint.Delete(), endpointNotFound)
		})
	}
}

func TestAnEndpointIsCreatedByItsOwnDocument(t *testing.T) {
	network := newNetwork(t, hcn.L2Bridge)
	asked := addressed(t, "192.168.100.20", 24)
	asked.Id = "3a0e9d1b-5c47-4b1a-8a5c-7d2f0c6b9e11"
	asked.HostComputeNetwork = network.Id
	endpoint := must(asked.Create())(t)
	t.Cleanup(func() { checkGone(t, endpoint.Delete(), endpointNotFound) })
	if !strings.EqualFold(endpoint.Id, asked.Id) {
		t.Fatalf("got the id %s, asked for %s", endpoint.Id, asked.Id)
	}
	wantEqual(t, endpoint.IpConfigurations, asked.IpConfigurations)
	_, err := asked.Create()
	wantCode(t, err, alreadyExists)
}

func TestANamespaceInAnEndpointsDocumentIsRefusedByTheLibrary(t *testing.T) {
	_, err := (&hcn.HostComputeEndpoint{HostComputeNetwork: missing, HostComputeNamespace: missing}).Create()
	wantText(t, err, "read only")
}

func TestAnEndpointGetsAnAddressAMacAndARoute(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.NAT))
	if len(endpoint.IpConfigurations) != 1 || !inSubnet(t, endpoint.IpConfigurations[0].IpAddress) {
		t.Fatalf("got %+v", endpoint.IpConfigurations)
	}
	wantEqual(t, endpoint.IpConfigurations[0].PrefixLength, uint8(24))
	if endpoint.MacAddress < firstMac || endpoint.MacAddress > lastMac {
		t.Fatalf("got the MAC %s", endpoint.MacAddress)
	}
	wantEqual(t, endpoint.Routes, []hcn.Route{{NextHop: gateway, DestinationPrefix: "0.0.0.0/0"}})
}

func TestAnEndpointKeepsWhatItWasCreatedWith(t *testing.T) {
	asked := addressed(t, "192.168.100.21", 24)
	asked.MacAddress = "00-15-5D-00-00-21"
	asked.Dns = hcn.Dns{
		Domain: "pod.local", Search: []string{"svc.cluster.local"}, ServerList: []string{"10.96.0.10", "10.96.0.11"},
	}
	asked.Routes = []hcn.Route{
		{NextHop: gateway, DestinationPrefix: "0.0.0.0/0"},
		{NextHop: "192.168.100.2", DestinationPrefix: "10.20.0.0/16", Metric: 300},
	}
	endpoint := createEndpoint(t, newNetwork(t, hcn.L2Bridge), asked)
	wantEqual(t, endpoint.IpConfigurations, asked.IpConfigurations)
	wantEqual(t, endpoint.MacAddress, asked.MacAddress)
	wantEqual(t, endpoint.Dns, asked.Dns)
	wantEqual(t, endpoint.Routes, asked.Routes)
}

func TestAnEndpointMayHaveAnAddressOfEachFamily(t *testing.T) {
	definition := definition(t, hcn.L2Bridge)
	definition.Ipams[0].Subnets = append(definition.Ipams[0].Subnets, subnet("fd00:100::/64", "fd00:100::1", "::/0"))
	asked := addressed(t, "192.168.100.22", 24)
	asked.IpConfigurations = append(asked.IpConfigurations, hcn.IpConfig{IpAddress: "fd00:100::22", PrefixLength: 64})
	endpoint := createEndpoint(t, createNetwork(t, definition), asked)
	wantEqual(t, endpoint.IpConfigurations, asked.IpConfigurations)
	wantEqual(t, len(endpoint.Routes), 2)
}

func TestAnEndpointMayHaveAPrefixOfItsOwnAddressAlone(t *testing.T) {
	check(t, hcn.Slash32EndpointPrefixesSupported())
	asked := addressed(t, "192.168.100.23", 32)
	wantEqual(t, createEndpoint(t, newNetwork(t, hcn.Overlay), asked).IpConfigurations, asked.IpConfigurations)
}

func TestAnAddressThatCannotBeIsRefused(t *testing.T) {
	network := newNetwork(t, hcn.NAT)
	createEndpoint(t, network, addressed(t, "192.168.100.24", 24))
	for name, refused := range map[string]string{
		"taken":           "192.168.100.24",
		"outside":         "10.99.0.24",
		"the gateway's":   gateway,
		"the subnet's":    "192.168.100.0",
		"for all of them": "192.168.100.255",
	} {
		t.Run(name, func(t *testing.T) {
			asked := addressed(t, refused, 24)
			_, err := network.CreateEndpoint(&asked)
			wantCode(t, err, addressRefused)
		})
	}
}

func TestASubnetMayLeaveTheAddressOfItsGatewayFree(t *testing.T) {
	asked := definition(t, hcn.L2Bridge)
	asked.Ipams[0].Subnets[0].Flags = hcn.SubnetFlagsDoNotReserveGatewayAddress
	network := createNetwork(t, asked)
	wantEqual(t, network.Ipams[0].Subnets[0].Flags, hcn.SubnetFlagsDoNotReserveGatewayAddress)
	endpoint := createEndpoint(t, network, addressed(t, gateway, 24))
	wantEqual(t, endpoint.IpConfigurations, []hcn.IpConfig{{IpAddress: gateway, PrefixLength: 24}})
}

func TestAnAddressIsFreeAgainAfterItsEndpoint(t *testing.T) {
	network := newNetwork(t, hcn.NAT)
	check(t, createEndpoint(t, network, addressed(t, "192.168.100.25", 24)).Delete())
	createEndpoint(t, network, addressed(t, "192.168.100.25", 24))
}

func TestAnEndpointIsFoundByItsId(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.NAT))
	for _, id := range []string{endpoint.Id, strings.ToLower(endpoint.Id), strings.ToUpper(endpoint.Id)} {
		wantEqual(t, must(hcn.GetEndpointByID(id))(t), endpoint)
	}
}

func TestAnEndpointIsFoundByItsName(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.NAT))
	wantEqual(t, must(hcn.GetEndpointByName(endpoint.Name))(t), endpoint)
}

func TestEndpointsAreListed(t *testing.T) {
	network := newNetwork(t, hcn.NAT)
	one, other := newEndpoint(t, network), newEndpoint(t, network)
	var ids []string
	for _, endpoint := range must(hcn.ListEndpoints())(t) {
		ids = append(ids, endpoint.Id)
	}
	if !slices.Contains(ids, one.Id) || !slices.Contains(ids, other.Id) {
		t.Fatalf("got %v", ids)
	}
}

func TestTheEndpointsOfANetworkAreListed(t *testing.T) {
	network := newNetwork(t, hcn.NAT)
	second := definition(t, hcn.L2Bridge)
	second.Name += " two"
	other := createNetwork(t, second)
	endpoint := newEndpoint(t, network)
	newEndpoint(t, other)
	wantEqual(t, must(hcn.ListEndpointsOfNetwork(network.Id))(t), []hcn.HostComputeEndpoint{*endpoint})
	wantEqual(t, len(must(hcn.ListEndpointsOfNetwork(missing))(t)), 0)
}

func TestEndpointsAreListedByAFilter(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.Overlay))
	for _, filter := range []map[string]string{
		{"Name": endpoint.Name},
		{"ID": endpoint.Id},
		{"MacAddress": endpoint.MacAddress, "VirtualNetwork": endpoint.HostComputeNetwork},
	} {
		query := hcn.HostComputeQuery{SchemaVersion: hcn.V2SchemaVersion(), Filter: string(marshal(t, filter))}
		wantEqual(t, must(hcn.ListEndpointsQuery(query))(t), []hcn.HostComputeEndpoint{*endpoint})
	}
}

func TestADetailedQueryShowsTheContainersOfAnEndpoint(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.NAT))
	filter := string(marshal(t, map[string]string{"ID": endpoint.Id}))
	query := hcn.HostComputeQuery{
		SchemaVersion: hcn.V2SchemaVersion(), Flags: hcn.HostComputeQueryFlagsDetailed, Filter: filter,
	}
	found := must(hcn.ListEndpointsQuery(query))(t)
	wantEqual(t, len(found), 1)
	wantEqual(t, string(found[0].Health.Extra.SharedContainers), "[]")
}

func TestARemoteEndpointIsMarkedAsOne(t *testing.T) {
	asked := addressed(t, "192.168.100.99", 24)
	asked.MacAddress = "00-15-5D-00-00-99"
	provider := marshal(t, hcn.ProviderAddressEndpointPolicySetting{ProviderAddress: "10.127.0.77"})
	asked.Policies = []hcn.EndpointPolicy{{Type: hcn.NetworkProviderAddress, Settings: provider}}
	endpoint := must(newNetwork(t, hcn.Overlay).CreateRemoteEndpoint(&asked))(t)
	t.Cleanup(func() { checkGone(t, endpoint.Delete(), endpointNotFound) })
	wantEqual(t, endpoint.Flags, hcn.EndpointFlagsRemoteEndpoint)
	wantEqual(t, endpoint.IpConfigurations, asked.IpConfigurations)
	wantEqual(t, endpoint.MacAddress, asked.MacAddress)
	wantCode(t, endpoint.NamespaceAttach(newNamespace(t).Id),
		hcn.ErrorCode(windows.HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION))
}

func TestALocalEndpointHasNoFlags(t *testing.T) {
	wantEqual(t, newEndpoint(t, newNetwork(t, hcn.Overlay)).Flags, hcn.EndpointFlagsNone)
}

func TestAnEndpointIsAttachedToANamespaceAndDetached(t *testing.T) {
	for _, kind := range []hcn.NetworkType{hcn.NAT, hcn.L2Bridge, hcn.Overlay} {
		t.Run(string(kind), func(t *testing.T) {
			endpoint, namespace := newEndpoint(t, newNetwork(t, kind)), newNamespace(t)
			check(t, endpoint.NamespaceAttach(namespace.Id))
			attached := must(hcn.GetEndpointByID(endpoint.Id))(t)
			if !strings.EqualFold(attached.HostComputeNamespace, namespace.Id) {
				t.Fatalf("it is in %q, not in %s", attached.HostComputeNamespace, namespace.Id)
			}
			check(t, endpoint.NamespaceDetach(namespace.Id))
			wantEqual(t, must(hcn.GetEndpointByID(endpoint.Id))(t), endpoint)
			wantCode(t, endpoint.NamespaceDetach(namespace.Id), hcn.ERROR_NOT_FOUND)
		})
	}
}

func TestAnEndpointIsInOneNamespaceAtATime(t *testing.T) {
	endpoint, one, other := newEndpoint(t, newNetwork(t, hcn.NAT)), newNamespace(t), newNamespace(t)
	check(t, endpoint.NamespaceAttach(one.Id))
	wantCode(t, endpoint.NamespaceAttach(other.Id), hcn.ErrorCode(windows.HCN_E_ENDPOINT_NAMESPACE_ALREADY_EXISTS))
	check(t, endpoint.NamespaceDetach(one.Id))
	check(t, endpoint.NamespaceAttach(other.Id))
}

func TestAnEndpointNeedsItsNetwork(t *testing.T) {
	network := &hcn.HostComputeNetwork{Id: missing}
	_, err := network.CreateEndpoint(&hcn.HostComputeEndpoint{SchemaVersion: hcn.V2SchemaVersion()})
	wantCode(t, err, networkNotFound)
	_, err = network.CreateRemoteEndpoint(&hcn.HostComputeEndpoint{SchemaVersion: hcn.V2SchemaVersion()})
	wantCode(t, err, networkNotFound)
}

func TestAPortOfAVirtualMachineThatIsNotThereIsRefused(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.NAT))
	err := hcn.ModifyEndpointSettings(endpoint.Id, &hcn.ModifyEndpointSettingRequest{
		ResourceType: hcn.EndpointResourceTypePort,
		RequestType:  hcn.RequestTypeAdd,
		Settings:     marshal(t, hcn.VmEndpointRequest{VirtualNicName: missing + "--" + endpoint.Id}),
	})
	if err == nil {
		t.Fatal("it was accepted")
	}
}
