package hnslib_test

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/Microsoft/hnslib/hcn"
	"golang.org/x/sys/windows"
)

func TestANetworkIsCreatedAsAsked(t *testing.T) {
	macs := hcn.MacPool{Ranges: []hcn.MacRange{{StartMacAddress: "00-15-5D-52-C0-00", EndMacAddress: "00-15-5D-52-CF-FF"}}}
	network := newNetwork(t, hcn.HostComputeNetwork{
		Name:    "lib-asked",
		Type:    hcn.L2Bridge,
		MacPool: macs,
		Dns:     hcn.Dns{Domain: "lab.example", Search: []string{"a.example", "b.example"}, ServerList: []string{"192.0.2.53"}},
		Ipams:   subnet("192.168.84.0/24", "192.168.84.1"),
		Flags:   hcn.EnableNonPersistent,
	})
	if network.Id == "" {
		t.Error("it has no id")
	}
	wantEqual(t, "name", network.Name, "lib-asked")
	wantEqual(t, "type", network.Type, hcn.L2Bridge)
	wantEqual(t, "flags", network.Flags, hcn.EnableNonPersistent)
	if !slices.Equal(network.MacPool.Ranges, macs.Ranges) {
		t.Errorf("got MACs %v", network.MacPool)
	}
	if !slices.Equal(network.Dns.ServerList, []string{"192.0.2.53"}) || !slices.Equal(network.Dns.Search, []string{"a.example", "b.example"}) {
		t.Errorf("got name servers %v", network.Dns)
	}
	wantEqual(t, "subnets", len(network.Ipams) == 1 && len(network.Ipams[0].Subnets) == 1, true)
	made := network.Ipams[0].Subnets[0]
	wantEqual(t, "prefix", made.IpAddressPrefix, "192.168.84.0/24")
	wantEqual(t, "route", made.Routes[0], hcn.Route{NextHop: "192.168.84.1", DestinationPrefix: "0.0.0.0/0"})
}

func TestEachTypeOfNetwork(t *testing.T) {
	for _, kind := range []hcn.NetworkType{hcn.NAT, hcn.Transparent, hcn.L2Bridge, hcn.L2Tunnel, hcn.ICS, hcn.Private} {
		t.Run(string(kind), func(t *testing.T) {
			network := hcn.HostComputeNetwork{
				Name: "lib-type", Type: kind, Ipams: subnet("192.168.85.0/24", "192.168.85.1"), SchemaVersion: hcn.V2SchemaVersion(),
			}
			made := newNetwork(t, network)
			wantEqual(t, "type", made.Type, kind)
			wantEqual(t, "flags but the one that newer releases set", made.Flags&^hcn.EnableNonPersistent, hcn.None)
		})
	}
}

func TestANetworkKeepsItsFlags(t *testing.T) {
	for name, flags := range map[string]hcn.NetworkFlags{
		"not persistent": hcn.EnableNonPersistent, "no host port": hcn.DisableHostPort, "SR-IOV": hcn.EnableIov,
	} {
		t.Run(name, func(t *testing.T) {
			network := newNetwork(t, hcn.HostComputeNetwork{
				Name: "lib-flags", Type: hcn.L2Bridge, Flags: flags, Ipams: subnet("192.168.85.0/24", "192.168.85.1"),
			})
			found, err := hcn.GetNetworkByID(network.Id)
			check(t, err)
			wantEqual(t, "flags", found.Flags, flags)
		})
	}
}

func TestANATNetworkGetsASubnetWhereNoneIsAsked(t *testing.T) {
	network := newNetwork(t, hcn.HostComputeNetwork{Name: "lib-chosen", Type: hcn.NAT})
	chosen := network.Ipams[0].Subnets[0]
	_, prefix, err := net.ParseCIDR(chosen.IpAddressPrefix)
	check(t, err)
	if !prefix.Contains(net.ParseIP(chosen.Routes[0].NextHop)) {
		t.Errorf("gateway %s is not in %s", chosen.Routes[0].NextHop, prefix)
	}
}

func TestASubnetKeepsItsPolicies(t *testing.T) {
	network := newNetwork(t, hcn.HostComputeNetwork{
		Name: "lib-vlan",
		Type: hcn.L2Bridge,
		Ipams: subnet("192.168.85.0/24", "192.168.85.1", hcn.SubnetPolicy{
			Type: hcn.VLAN, Settings: document(t, hcn.VlanPolicySetting{IsolationId: 7}),
		}),
	})
	vlan := hcn.SubnetPolicy{Type: hcn.VLAN, Settings: document(t, hcn.VlanPolicySetting{IsolationId: 7})}
	wantMembers(t, network.Ipams[0].Subnets[0].Policies[0], vlan)
}

// Where the gateway is the host itself, its address must be an endpoint's.
func TestAGatewayIsReservedUnlessASubnetSaysOtherwise(t *testing.T) {
	for flags, refusal := range map[hcn.SubnetFlags]windows.Handle{
		hcn.SubnetFlagsNone:                       windows.HCN_E_ADDR_INVALID_OR_RESERVED,
		hcn.SubnetFlagsDoNotReserveGatewayAddress: 0,
	} {
		ipams := subnet("192.168.85.0/24", "192.168.85.1")
		ipams[0].Subnets[0].Flags = flags
		network := newNetwork(t, hcn.HostComputeNetwork{Name: "lib-gateway", Type: hcn.L2Bridge, Ipams: ipams})
		wantEqual(t, "flags", network.Ipams[0].Subnets[0].Flags, flags)
		_, err := network.CreateEndpoint(&hcn.HostComputeEndpoint{
			IpConfigurations: []hcn.IpConfig{{IpAddress: "192.168.85.1"}}, SchemaVersion: hcn.V2SchemaVersion(),
		})
		if refusal != 0 {
			wantCode(t, err, refusal)
		} else {
			check(t, err)
		}
		check(t, network.Delete())
	}
}

func TestANetworkIsFound(t *testing.T) {
	network := natNetwork(t)
	filter := func(text string) func() (*hcn.HostComputeNetwork, error) {
		return func() (*hcn.HostComputeNetwork, error) {
			found, err := hcn.ListNetworksQuery(hcn.HostComputeQuery{SchemaVersion: hcn.V2SchemaVersion(), Filter: text})
			if err != nil || len(found) != 1 {
				t.Fatalf("got %v, %v", found, err)
			}
			return &found[0], nil
		}
	}
	for name, find := range map[string]func() (*hcn.HostComputeNetwork, error){
		"by id":               func() (*hcn.HostComputeNetwork, error) { return hcn.GetNetworkByID(network.Id) },
		"by id in lower case": func() (*hcn.HostComputeNetwork, error) { return hcn.GetNetworkByID(strings.ToLower(network.Id)) },
		"by name":             func() (*hcn.HostComputeNetwork, error) { return hcn.GetNetworkByName("lib-nat") },
		"by query":            filter(`{"Name": "lib-nat"}`),
	} {
		t.Run(name, func(t *testing.T) {
			found, err := find()
			check(t, err)
			wantEqual(t, "id", found.Id, network.Id)
			wantEqual(t, "name", found.Name, network.Name)
		})
	}
}

func TestNetworksAreListed(t *testing.T) {
	one, other := natNetwork(t), bridgeNetwork(t)
	networks, err := hcn.ListNetworks()
	check(t, err)
	for _, want := range []*hcn.HostComputeNetwork{one, other} {
		if !slices.ContainsFunc(networks, func(n hcn.HostComputeNetwork) bool { return n.Id == want.Id && n.Name == want.Name }) {
			t.Errorf("%s is not in %v", want.Name, networks)
		}
	}
}

func TestADetailedQueryTellsMore(t *testing.T) {
	bridgeNetwork(t)
	for flags, more := range map[hcn.HostComputeQueryFlags]bool{
		hcn.HostComputeQueryFlagsNone: false, hcn.HostComputeQueryFlagsDetailed: true,
	} {
		found, err := hcn.ListNetworksQuery(hcn.HostComputeQuery{
			SchemaVersion: hcn.V2SchemaVersion(), Flags: flags, Filter: `{"Name": "lib-bridge"}`,
		})
		check(t, err)
		var extra hcn.ExtraParams = found[0].Health.Extra
		wantEqual(t, "switch", extra.SwitchGuid != "", more)
		wantEqual(t, "layer", extra.LayeredOn != "", more)
		wantEqual(t, "resources", len(extra.Resources) > 0, more)
	}
}

func TestADeletedNetworkIsGone(t *testing.T) {
	network := natNetwork(t)
	endpoint := newEndpoint(t, network, "left")
	check(t, network.Delete())
	_, err := hcn.GetNetworkByID(network.Id)
	wantEqual(t, "network not found", hcn.IsNotFoundError(err), true)
	_, err = hcn.GetEndpointByID(endpoint.Id)
	wantEqual(t, "its endpoint not found", hcn.IsNotFoundError(err), true)
}

func TestANetworkIsRefused(t *testing.T) {
	natNetwork(t)
	_, err := (&hcn.HostComputeNetwork{Name: "lib-nat", Type: hcn.NAT, SchemaVersion: hcn.V2SchemaVersion()}).Create()
	wantCode(t, err, windows.HCN_E_NETWORK_ALREADY_EXISTS)
	_, err = (&hcn.HostComputeNetwork{Name: "lib-bad", Type: "Bus", SchemaVersion: hcn.V2SchemaVersion()}).Create()
	wantCode(t, err, windows.HCN_E_INVALID_NETWORK_TYPE)
	_, err = (&hcn.HostComputeNetwork{
		Name: "lib-bad", Type: hcn.Overlay, Ipams: subnet("192.168.85.0/24", "192.168.85.1"), SchemaVersion: hcn.V2SchemaVersion(),
	}).Create()
	wantCode(t, err, windows.HCN_E_INVALID_NETWORK) // without isolation
}

// hnslib's own checks; HNS is not asked.
func TestASubnetWithoutGatewayIsNotSent(t *testing.T) {
	for text, route := range map[string]hcn.Route{
		"no default gateway":   {NextHop: "192.168.85.1", DestinationPrefix: "192.0.2.0/24"},
		"no gateway specified": {DestinationPrefix: "0.0.0.0/0"},
	} {
		ipams := subnet("192.168.85.0/24", "")
		ipams[0].Subnets[0].Routes = []hcn.Route{route}
		_, err := (&hcn.HostComputeNetwork{Name: "lib-bad", Type: hcn.NAT, Ipams: ipams}).Create()
		wantText(t, err, text)
	}
}
