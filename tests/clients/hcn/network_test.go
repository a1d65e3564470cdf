package hcn_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/Microsoft/hcsshim/hcn"
	"golang.org/x/sys/windows"
)

func named(name string) func(hcn.HostComputeNetwork) bool {
	return func(network hcn.HostComputeNetwork) bool { return network.Name == name }
}

func TestANetworkOfEachTypeIsCreatedAndDeleted(t *testing.T) {
	for _, kind := range []hcn.NetworkType{
		hcn.NAT, hcn.Transparent, hcn.L2Bridge, hcn.L2Tunnel, hcn.ICS, hcn.Private, hcn.Overlay,
	} {
		t.Run(string(kind), func(t *testing.T) {
			network := newNetwork(t, kind)
			wantEqual(t, network.Type, kind)
			wantEqual(t, network.SchemaVersion, hcn.V2SchemaVersion())
			check(t, network.Delete())
			_, err := hcn.GetNetworkByID(network.Id)
			if !hcn.IsNotFoundError(err) {
				t.Fatal(err)
			}
		})
	}
}

func TestANetworkOfAnUnknownTypeIsRefused(t *testing.T) {
	_, err := definition(t, "TokenRing").Create()
	wantCode(t, err, hcn.ErrorCode(windows.HCN_E_INVALID_NETWORK_TYPE))
}

func TestANetworkKeepsWhatItWasCreatedWith(t *testing.T) {
	asked := definition(t, hcn.L2Bridge)
	asked.Id = "0d6f2a54-3c1b-4a77-8f5e-2b9c1d3e4f50"
	asked.Dns = hcn.Dns{
		Domain: "cluster.local", Search: []string{"svc.cluster.local", "example.test"}, ServerList: []string{"10.96.0.10"},
	}
	asked.Ipams[0].Subnets[0].Routes[0].Metric = 7
	network := createNetwork(t, asked)
	if !strings.EqualFold(network.Id, asked.Id) {
		t.Fatalf("got the id %s, asked for %s", network.Id, asked.Id)
	}
	wantEqual(t, network.Name, asked.Name)
	wantEqual(t, network.MacPool, asked.MacPool)
	wantEqual(t, network.Dns, asked.Dns)
	wantEqual(t, network.Ipams, asked.Ipams)
}

func TestTheFlagsOfANetworkAreKept(t *testing.T) {
	network := must(hcn.GetNetworkByID(newNetwork(t, hcn.Overlay).Id))(t)
	if network.Flags&hcn.EnableNonPersistent == 0 {
		t.Fatalf("got the flags %d", network.Flags)
	}
}

func TestFurtherFlagsOfANetworkAreKept(t *testing.T) {
	for name, flag := range map[string]hcn.NetworkFlags{
		"none": hcn.None, "no port of the host": hcn.DisableHostPort, "SR-IOV": hcn.EnableIov,
	} {
		t.Run(name, func(t *testing.T) {
			asked := definition(t, hcn.L2Bridge)
			asked.Flags = flag
			wantEqual(t, createNetwork(t, asked).Flags, flag)
		})
	}
}

func TestANatNetworkWithoutASubnetGetsOne(t *testing.T) {
	asked := definition(t, hcn.NAT)
	asked.Ipams = nil
	network := createNetwork(t, asked)
	if len(network.Ipams) != 1 || len(network.Ipams[0].Subnets) != 1 {
		t.Fatalf("got %+v", network.Ipams)
	}
	chosen := network.Ipams[0].Subnets[0]
	if chosen.IpAddressPrefix == "" || len(chosen.Routes) != 1 || chosen.Routes[0].NextHop == "" {
		t.Fatalf("got %+v", chosen)
	}
}

func TestASubnetWithoutAGatewayIsRefusedByTheLibrary(t *testing.T) {
	for name, refused := range map[string]struct {
		subnet hcn.Subnet
		text   string
	}{
		"no default route":       {subnet(prefix, gateway, "1.1.1.1/0"), "no default gateway"},
		"no routes":              {hcn.Subnet{IpAddressPrefix: prefix}, "no default gateway"},
		"no next hop":            {subnet(prefix, "", "0.0.0.0/0"), "no gateway specified"},
		"neither hop nor prefix": {subnet(prefix, "", ""), "no gateway specified"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := definition(t, hcn.NAT)
			asked.Ipams[0].Subnets[0] = refused.subnet
			_, err := asked.Create()
			wantText(t, err, refused.text)
		})
	}
}

func TestAnIPv6SubnetHasADefaultRouteOfItsOwn(t *testing.T) {
	asked := definition(t, hcn.L2Bridge)
	six := subnet("fd00:100::/64", "fd00:100::1", "::/0")
	asked.Ipams[0].Subnets = append(asked.Ipams[0].Subnets, six)
	network := createNetwork(t, asked)
	wantEqual(t, network.Ipams[0].Subnets[1].Routes, six.Routes)
	wantEqual(t, network.Ipams[0].Subnets[1].IpAddressPrefix, six.IpAddressPrefix)
}

func TestAGatewayOutsideItsSubnetIsRefused(t *testing.T) {
	asked := definition(t, hcn.L2Bridge)
	asked.Ipams[0].Subnets[0] = subnet(prefix, "10.99.0.1", "0.0.0.0/0")
	_, err := asked.Create()
	wantCode(t, err, hcn.ErrorCode(windows.HCN_E_INVALID_NETWORK))
}

func TestANetworkIsFoundByItsName(t *testing.T) {
	network := newNetwork(t, hcn.NAT)
	wantEqual(t, must(hcn.GetNetworkByName(network.Name))(t), network)
}

func TestANetworkIsFoundByItsId(t *testing.T) {
	network := newNetwork(t, hcn.NAT)
	for _, id := range []string{network.Id, strings.ToLower(network.Id), strings.ToUpper(network.Id)} {
		wantEqual(t, must(hcn.GetNetworkByID(id))(t), network)
	}
}

func TestNetworksAreListed(t *testing.T) {
	one, other := definition(t, hcn.NAT), definition(t, hcn.L2Bridge)
	other.Name += " two"
	createNetwork(t, one)
	createNetwork(t, other)
	networks := must(hcn.ListNetworks())(t)
	for _, name := range []string{one.Name, other.Name} {
		if !slices.ContainsFunc(networks, named(name)) {
			t.Errorf("%s is not among %+v", name, networks)
		}
	}
}

func TestNetworksAreListedByAFilter(t *testing.T) {
	network := newNetwork(t, hcn.Overlay)
	for _, filter := range []map[string]string{
		{"Name": network.Name},
		{"ID": network.Id},
		{"Name": network.Name, "Type": "Overlay"},
	} {
		query := hcn.HostComputeQuery{SchemaVersion: hcn.V2SchemaVersion(), Filter: string(marshal(t, filter))}
		wantEqual(t, must(hcn.ListNetworksQuery(query))(t), []hcn.HostComputeNetwork{*network})
	}
	query := hcn.HostComputeQuery{SchemaVersion: hcn.V2SchemaVersion(), Filter: `{"Name": "another"}`}
	if found := must(hcn.ListNetworksQuery(query))(t); len(found) != 0 {
		t.Fatalf("got %+v", found)
	}
}

func TestADetailedQueryShowsTheSwitchOfANetwork(t *testing.T) {
	network := newNetwork(t, hcn.L2Bridge)
	wantEqual(t, network.Health.Extra.SwitchGuid, "")
	filter := string(marshal(t, map[string]string{"ID": network.Id}))
	query := hcn.HostComputeQuery{
		SchemaVersion: hcn.V2SchemaVersion(), Flags: hcn.HostComputeQueryFlagsDetailed, Filter: filter,
	}
	found := must(hcn.ListNetworksQuery(query))(t)
	if len(found) != 1 || found[0].Health.Extra.SwitchGuid == "" || !json.Valid(found[0].Health.Extra.Resources) {
		t.Fatalf("got %+v", found)
	}
}

func TestTwoNetworksCannotShareAName(t *testing.T) {
	network := newNetwork(t, hcn.L2Bridge)
	_, err := definition(t, hcn.L2Bridge).Create()
	wantCode(t, err, hcn.ErrorCode(windows.HCN_E_NETWORK_ALREADY_EXISTS))
	check(t, network.Delete())
	newNetwork(t, hcn.L2Bridge)
}

func TestTwoNetworksCannotShareAnId(t *testing.T) {
	network := newNetwork(t, hcn.L2Bridge)
	asked := definition(t, hcn.L2Bridge)
	asked.Id, asked.Name = network.Id, asked.Name+" two"
	_, err := asked.Create()
	wantCode(t, err, alreadyExists)
}

func TestANetworkTakesItsEndpointsWithIt(t *testing.T) {
	network := newNetwork(t, hcn.NAT)
	endpoint := newEndpoint(t, network)
	check(t, network.Delete())
	_, err := hcn.GetEndpointByID(endpoint.Id)
	if !hcn.IsNotFoundError(err) {
		t.Fatal(err)
	}
}

func TestANetworkIsDeletedOnce(t *testing.T) {
	network := newNetwork(t, hcn.NAT)
	check(t, network.Delete())
	wantCode(t, network.Delete(), networkNotFound)
}
