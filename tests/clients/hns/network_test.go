package hns_test

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/Microsoft/hcsshim"
	"golang.org/x/sys/windows"
)

func TestANetworkIsCreatedAsAsked(t *testing.T) {
	network := newNetwork(t, hcsshim.HNSNetwork{
		Name:          "v1-asked",
		Type:          "NAT",
		MacPools:      []hcsshim.MacPool{{StartMacAddress: "00-15-5D-52-C0-00", EndMacAddress: "00-15-5D-52-CF-FF"}},
		Subnets:       []hcsshim.Subnet{{AddressPrefix: "192.168.93.0/24", GatewayAddress: "192.168.93.1"}},
		DNSSuffix:     "lab.example",
		DNSServerList: "192.0.2.53,192.0.2.54",
	})
	if network.Id == "" {
		t.Error("it has no id")
	}
	wantEqual(t, "name", network.Name, "v1-asked")
	wantEqual(t, "type", strings.ToUpper(network.Type), "NAT")
	wantEqual(t, "suffix", network.DNSSuffix, "lab.example")
	wantEqual(t, "servers", network.DNSServerList, "192.0.2.53,192.0.2.54")
	wantEqual(t, "subnets", len(network.Subnets), 1)
	wantEqual(t, "prefix", network.Subnets[0].AddressPrefix, "192.168.93.0/24")
	wantEqual(t, "gateway", network.Subnets[0].GatewayAddress, "192.168.93.1")
	if !slices.Equal(network.MacPools, []hcsshim.MacPool{{StartMacAddress: "00-15-5D-52-C0-00", EndMacAddress: "00-15-5D-52-CF-FF"}}) {
		t.Errorf("got MACs %v", network.MacPools)
	}
}

func TestANetworkOfEachTypeIsCreated(t *testing.T) {
	for _, kind := range []string{"NAT", "transparent", "l2bridge", "L2Tunnel", "ICS", "Internal", "private"} {
		t.Run(kind, func(t *testing.T) {
			network := newNetwork(t, hcsshim.HNSNetwork{
				Name: "v1-type", Type: kind, Subnets: []hcsshim.Subnet{{AddressPrefix: "192.168.94.0/24", GatewayAddress: "192.168.94.1"}},
			})
			wantEqual(t, "type", network.Type, kind)
			wantEqual(t, "gateway", network.Subnets[0].GatewayAddress, "192.168.94.1")
		})
	}
}

func TestANATNetworkGetsASubnetWhereNoneIsAsked(t *testing.T) {
	network := newNetwork(t, hcsshim.HNSNetwork{Name: "v1-chosen", Type: "NAT"})
	wantEqual(t, "subnets", len(network.Subnets), 1)
	_, prefix, err := net.ParseCIDR(network.Subnets[0].AddressPrefix)
	check(t, err)
	if !prefix.Contains(net.ParseIP(network.Subnets[0].GatewayAddress)) {
		t.Errorf("gateway %s is not in %s", network.Subnets[0].GatewayAddress, prefix)
	}
}

func TestAnExternalNetworkHasTheManagementAddress(t *testing.T) {
	for _, make := range []func(*testing.T) *hcsshim.HNSNetwork{bridgeNetwork, overlayNetwork} {
		network := make(t)
		if net.ParseIP(strings.Split(network.ManagementIP, "/")[0]) == nil {
			t.Errorf("%s: got management address %q", network.Type, network.ManagementIP)
		}
	}
}

func TestASubnetKeepsItsIsolation(t *testing.T) {
	network := overlayNetwork(t)
	vsid := policyOf[hcsshim.VsidPolicy](t, network.Subnets[0].Policies, hcsshim.VSID)
	wantEqual(t, "VSID", vsid.VSID, 4097)
}

func TestANetworkKeepsItsPolicies(t *testing.T) {
	network := newNetwork(t, hcsshim.HNSNetwork{
		Name:     "v1-vlan",
		Type:     "L2Bridge",
		Subnets:  []hcsshim.Subnet{{AddressPrefix: "192.168.94.0/24", GatewayAddress: "192.168.94.1"}},
		Policies: raw(t, hcsshim.VlanPolicy{Type: hcsshim.VLAN, VLAN: 12}),
	})
	wantEqual(t, "VLAN", policyOf[hcsshim.VlanPolicy](t, network.Policies, hcsshim.VLAN).VLAN, 12)
}

func TestANetworkIsFound(t *testing.T) {
	network := natNetwork(t)
	for name, find := range map[string]func() (*hcsshim.HNSNetwork, error){
		"by id":               func() (*hcsshim.HNSNetwork, error) { return hcsshim.GetHNSNetworkByID(network.Id) },
		"by id in lower case": func() (*hcsshim.HNSNetwork, error) { return hcsshim.GetHNSNetworkByID(strings.ToLower(network.Id)) },
		"by name":             func() (*hcsshim.HNSNetwork, error) { return hcsshim.GetHNSNetworkByName(network.Name) },
		"by request":          func() (*hcsshim.HNSNetwork, error) { return hcsshim.HNSNetworkRequest("GET", network.Id, "") },
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
	networks, err := hcsshim.HNSListNetworkRequest("GET", "", "")
	check(t, err)
	for _, want := range []*hcsshim.HNSNetwork{one, other} {
		if !slices.ContainsFunc(networks, func(n hcsshim.HNSNetwork) bool { return n.Id == want.Id && n.Name == want.Name }) {
			t.Errorf("%s is not in %v", want.Name, networks)
		}
	}
}

func TestANetworkIsUpdatedByRequest(t *testing.T) {
	network := natNetwork(t)
	updated, err := hcsshim.HNSNetworkRequest("POST", network.Id, `{"DNSServerList": "192.0.2.55"}`)
	check(t, err)
	wantEqual(t, "servers", updated.DNSServerList, "192.0.2.55")
	wantEqual(t, "name", updated.Name, network.Name)
}

func TestADeletedNetworkIsGone(t *testing.T) {
	network := natNetwork(t)
	_, err := network.Delete()
	check(t, err)
	_, err = hcsshim.GetHNSNetworkByID(network.Id)
	wantText(t, err, "The network was not found.")
}

func TestANetworkTakesItsEndpointsWithIt(t *testing.T) {
	network := natNetwork(t)
	endpoint := newEndpoint(t, network, "left")
	_, err := network.Delete()
	check(t, err)
	_, err = hcsshim.GetHNSEndpointByID(endpoint.Id)
	wantText(t, err, "The endpoint was not found.")
}

func TestANetworkThatIsNotThereIsNotDeleted(t *testing.T) {
	_, err := (&hcsshim.HNSNetwork{Id: missing}).Delete()
	wantText(t, err, "The network was not found.")
}

func TestANetworkIsRefused(t *testing.T) {
	subnet := []hcsshim.Subnet{{AddressPrefix: "192.168.95.0/24", GatewayAddress: "192.168.95.1"}}
	for name, refused := range map[string]struct {
		network hcsshim.HNSNetwork
		code    windows.Handle
	}{
		"with a name that is taken": {hcsshim.HNSNetwork{Name: "v1-nat", Type: "NAT", Subnets: subnet}, windows.HCN_E_NETWORK_ALREADY_EXISTS},
		"of no type that HNS has":   {hcsshim.HNSNetwork{Name: "v1-bad", Type: "Bus", Subnets: subnet}, windows.HCN_E_INVALID_NETWORK_TYPE},
		"on an adapter not there": {
			hcsshim.HNSNetwork{Name: "v1-bad", Type: "L2Bridge", NetworkAdapterName: "Token Ring", Subnets: subnet},
			windows.HCN_E_ADAPTER_NOT_FOUND,
		},
	} {
		t.Run(name, func(t *testing.T) {
			natNetwork(t)
			_, err := refused.network.Create()
			wantCode(t, err, windows.Errno(refused.code))
		})
	}
}

// hcsshim's own check; HNS would choose a gateway.
func TestASubnetWithoutGatewayIsNotSent(t *testing.T) {
	network := hcsshim.HNSNetwork{Name: "v1-bad", Type: "NAT", Subnets: []hcsshim.Subnet{{AddressPrefix: "192.168.95.0/24"}}}
	_, err := network.Create()
	wantText(t, err, "no gateway")
}
