package hnslib_test

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/Microsoft/go-winio/pkg/guid"
	"github.com/Microsoft/hnslib/hcn"
	"golang.org/x/sys/windows"
)

func TestAnEndpointIsCreatedAsAsked(t *testing.T) {
	network := natNetwork(t)
	endpoint, err := (&hcn.HostComputeEndpoint{
		Name:               "asked",
		HostComputeNetwork: network.Id,
		IpConfigurations:   []hcn.IpConfig{{IpAddress: "192.168.80.20", PrefixLength: 24}},
		Dns:                hcn.Dns{Domain: "lab.example", Search: []string{"a.example"}, ServerList: []string{"192.0.2.53"}},
		Routes:             []hcn.Route{{NextHop: "192.168.80.1", DestinationPrefix: "192.0.2.0/24", Metric: 300}},
		MacAddress:         "00-15-5D-01-02-04",
		SchemaVersion:      hcn.V2SchemaVersion(),
	}).Create()
	check(t, err)
	if _, err := guid.FromString(endpoint.Id); err != nil {
		t.Error(err)
	}
	wantEqual(t, "name", endpoint.Name, "asked")
	wantEqual(t, "network", strings.ToLower(endpoint.HostComputeNetwork), strings.ToLower(network.Id))
	wantEqual(t, "address", endpoint.IpConfigurations[0], hcn.IpConfig{IpAddress: "192.168.80.20", PrefixLength: 24})
	wantEqual(t, "MAC", endpoint.MacAddress, "00-15-5D-01-02-04")
	wantEqual(t, "domain", endpoint.Dns.Domain, "lab.example")
	wantEqual(t, "flags", endpoint.Flags, hcn.EndpointFlagsNone)
	for _, route := range []hcn.Route{
		{NextHop: "192.168.80.1", DestinationPrefix: "192.0.2.0/24", Metric: 300},
		{NextHop: "192.168.80.1", DestinationPrefix: "0.0.0.0/0"},
	} {
		if !slices.Contains(endpoint.Routes, route) {
			t.Errorf("route %v is not in %v", route, endpoint.Routes)
		}
	}
}

func TestAnEndpointGetsAddressAndMACWhereNoneIsAsked(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "chosen")
	_, prefix, _ := net.ParseCIDR("192.168.80.0/24")
	if !prefix.Contains(net.ParseIP(endpoint.IpConfigurations[0].IpAddress)) {
		t.Errorf("got addresses %v", endpoint.IpConfigurations)
	}
	if _, err := net.ParseMAC(endpoint.MacAddress); err != nil {
		t.Error(err)
	}
}

// All our releases take the address of one host alone, as Slash32EndpointPrefixesSupported says.
func TestAnEndpointTakesAPrefixOfOneAddress(t *testing.T) {
	check(t, hcn.Slash32EndpointPrefixesSupported())
	endpoint, err := bridgeNetwork(t).CreateEndpoint(&hcn.HostComputeEndpoint{
		IpConfigurations: []hcn.IpConfig{{IpAddress: "192.168.81.9", PrefixLength: 32}}, SchemaVersion: hcn.V2SchemaVersion(),
	})
	check(t, err)
	wantEqual(t, "prefix length", endpoint.IpConfigurations[0].PrefixLength, 32)
}

func TestAnEndpointHasAddressesOfBothFamilies(t *testing.T) {
	ipams := subnet("192.168.85.0/24", "192.168.85.1")
	ipams[0].Subnets = append(ipams[0].Subnets, hcn.Subnet{
		IpAddressPrefix: "fd85::/64", Routes: []hcn.Route{{NextHop: "fd85::1", DestinationPrefix: "::/0"}},
	})
	network := newNetwork(t, hcn.HostComputeNetwork{Name: "lib-dual", Type: hcn.L2Bridge, Ipams: ipams})
	want := []hcn.IpConfig{{IpAddress: "192.168.85.9", PrefixLength: 24}, {IpAddress: "fd85::9", PrefixLength: 64}}
	endpoint, err := network.CreateEndpoint(&hcn.HostComputeEndpoint{IpConfigurations: want, SchemaVersion: hcn.V2SchemaVersion()})
	check(t, err)
	if !slices.Equal(endpoint.IpConfigurations, want) {
		t.Errorf("got %v, want %v", endpoint.IpConfigurations, want)
	}
}

func TestAnEndpointIsFound(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "found")
	for name, find := range map[string]func() (*hcn.HostComputeEndpoint, error){
		"by id":               func() (*hcn.HostComputeEndpoint, error) { return hcn.GetEndpointByID(endpoint.Id) },
		"by id in upper case": func() (*hcn.HostComputeEndpoint, error) { return hcn.GetEndpointByID(strings.ToUpper(endpoint.Id)) },
	} {
		t.Run(name, func(t *testing.T) {
			found, err := find()
			check(t, err)
			wantEqual(t, "id", found.Id, endpoint.Id)
			wantEqual(t, "address", found.IpConfigurations[0], endpoint.IpConfigurations[0])
		})
	}
}

func TestAnEndpointIsFoundByItsName(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "named")
	found, err := hcn.GetEndpointByName("named")
	check(t, err)
	wantEqual(t, "id", found.Id, endpoint.Id)
}

func TestEndpointsAreListed(t *testing.T) {
	nat, bridge := natNetwork(t), bridgeNetwork(t)
	ofNAT, ofBridge := newEndpoint(t, nat, "of NAT"), newEndpoint(t, bridge, "of bridge")
	for name, listed := range map[string]struct {
		list func() ([]hcn.HostComputeEndpoint, error)
		want []string
	}{
		"all":              {hcn.ListEndpoints, []string{ofNAT.Id, ofBridge.Id}},
		"of the network":   {func() ([]hcn.HostComputeEndpoint, error) { return hcn.ListEndpointsOfNetwork(nat.Id) }, []string{ofNAT.Id}},
		"of no network":    {func() ([]hcn.HostComputeEndpoint, error) { return hcn.ListEndpointsOfNetwork(missing) }, nil},
		"of a query":       {endpointsWhere(`{"Name": "of bridge"}`), []string{ofBridge.Id}},
		"of an empty name": {endpointsWhere(`{"Name": ""}`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			endpoints, err := listed.list()
			check(t, err)
			var ids []string
			for _, endpoint := range endpoints {
				ids = append(ids, endpoint.Id)
			}
			wantIDs(t, "endpoints", ids, listed.want...)
		})
	}
}

func endpointsWhere(filter string) func() ([]hcn.HostComputeEndpoint, error) {
	return func() ([]hcn.HostComputeEndpoint, error) {
		return hcn.ListEndpointsQuery(hcn.HostComputeQuery{SchemaVersion: hcn.V2SchemaVersion(), Filter: filter})
	}
}

func TestADetailedQueryNamesTheContainers(t *testing.T) {
	endpoint, namespace := newEndpoint(t, natNetwork(t), "detailed"), newNamespace(t, hcn.NamespaceTypeHost)
	check(t, endpoint.NamespaceAttach(namespace.Id))
	holdContainer(t, namespace.Id, "pod")
	found, err := hcn.ListEndpointsQuery(hcn.HostComputeQuery{
		SchemaVersion: hcn.V2SchemaVersion(), Flags: hcn.HostComputeQueryFlagsDetailed, Filter: `{"Name": "detailed"}`,
	})
	check(t, err)
	wantEqual(t, "found", len(found), 1)
	var health hcn.Health = found[0].Health
	wantEqual(t, "containers", string(health.Extra.SharedContainers), `["pod"]`)
	wantEqual(t, "resources", len(health.Extra.Resources) > 0, true)
}

func TestADeletedEndpointIsGone(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "deleted")
	check(t, endpoint.Delete())
	_, err := hcn.GetEndpointByID(endpoint.Id)
	wantEqual(t, "not found", hcn.IsNotFoundError(err), true)
	wantEqual(t, "not found again", hcn.IsEndpointNotFoundError(endpoint.Delete()), true)
}

func TestAnEndpointIsRefused(t *testing.T) {
	network := natNetwork(t)
	ip := func(text string) hcn.HostComputeEndpoint {
		return hcn.HostComputeEndpoint{IpConfigurations: []hcn.IpConfig{{IpAddress: text}}}
	}
	_, err := network.CreateEndpoint(&hcn.HostComputeEndpoint{
		IpConfigurations: ip("192.168.80.30").IpConfigurations, MacAddress: "00-15-5D-01-02-05", SchemaVersion: hcn.V2SchemaVersion(),
	})
	check(t, err)
	for name, refused := range map[string]struct {
		endpoint hcn.HostComputeEndpoint
		code     windows.Handle
	}{
		"with its gateway's address": {ip("192.168.80.1"), windows.HCN_E_ADDR_INVALID_OR_RESERVED},
		"with an address in use":     {ip("192.168.80.30"), windows.HCN_E_ADDR_INVALID_OR_RESERVED},
		"of a family without subnet": {ip("fd80::9"), windows.HCN_E_SUBNET_NOT_FOUND},
		"with what is no address":    {ip("pod"), windows.HCN_E_INVALID_IP},
		"with what is no MAC":        {hcn.HostComputeEndpoint{MacAddress: "pod"}, windows.HCN_E_INVALID_ENDPOINT},
	} {
		t.Run(name, func(t *testing.T) {
			refused.endpoint.SchemaVersion = hcn.V2SchemaVersion()
			_, err := network.CreateEndpoint(&refused.endpoint)
			wantCode(t, err, refused.code)
		})
	}
}

func TestAnEndpointWithoutNetworkIsRefused(t *testing.T) {
	_, err := (&hcn.HostComputeEndpoint{Name: "lost", HostComputeNetwork: missing}).Create()
	wantEqual(t, "network not found", hcn.IsNetworkNotFoundError(err), true)
}

// hnslib's own check; HNS is not asked.
func TestAnEndpointInANamespaceIsNotSent(t *testing.T) {
	_, err := (&hcn.HostComputeEndpoint{HostComputeNetwork: missing, HostComputeNamespace: missing}).Create()
	wantText(t, err, "HostComputeNamespace is read only")
}

// A node has no virtual machines to make switch ports for.
func TestAPortIsNotMadeForAVirtualMachine(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "machine")
	machine, err := guid.NewV4()
	check(t, err)
	err = hcn.ModifyEndpointSettings(endpoint.Id, &hcn.ModifyEndpointSettingRequest{
		ResourceType: hcn.EndpointResourceTypePort,
		RequestType:  hcn.RequestTypeAdd,
		Settings:     document(t, hcn.VmEndpointRequest{PortId: machine, VirtualNicName: "nic", VirtualMachineId: machine}),
	})
	wantCode(t, err, windows.HCN_E_REQUEST_UNSUPPORTED)
}
