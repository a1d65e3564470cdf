package hcn_test

import (
	"encoding/json"
	"testing"

	"github.com/Microsoft/hcsshim/hcn"
	"golang.org/x/sys/windows"
)

func networkPolicy(t *testing.T, kind hcn.NetworkPolicyType, setting any) hcn.NetworkPolicy {
	t.Helper()
	return hcn.NetworkPolicy{Type: kind, Settings: marshal(t, setting)}
}

// settingsOf reads a network again and returns what it shows for policies of a type.
func settingsOf(t *testing.T, network *hcn.HostComputeNetwork, kind hcn.NetworkPolicyType) []json.RawMessage {
	t.Helper()
	var settings []json.RawMessage
	for _, policy := range must(hcn.GetNetworkByID(network.Id))(t).Policies {
		if policy.Type == kind {
			settings = append(settings, policy.Settings)
		}
	}
	return settings
}

// wantPolicy ends the test unless a network shows one policy of this type, with these settings.
func wantPolicy(t *testing.T, network *hcn.HostComputeNetwork, kind hcn.NetworkPolicyType, setting any) {
	t.Helper()
	shown := settingsOf(t, network, kind)
	if len(shown) != 1 {
		t.Fatalf("%d policies of type %s: %s", len(shown), kind, shown)
	}
	wantEqual(t, decoded(t, shown[0], setting), setting)
}

type addedPolicy struct {
	name         string
	major, minor int
	kind         hcn.NetworkPolicyType
	setting      any
}

func addedPolicies() []addedPolicy {
	return []addedPolicy{
		{"RemoteSubnetRoute", 9, 2, hcn.RemoteSubnetRoute, hcn.RemoteSubnetRoutePolicySetting{
			DestinationPrefix: "192.168.2.0/24", IsolationId: vsid, ProviderAddress: "10.127.0.77",
			DistributedRouterMacAddress: "00-12-34-56-78-9a",
		}},
		{"HostRoute", 9, 2, hcn.HostRoute, struct{}{}},
		{"NetworkACL", 15, 0, hcn.NetworkACL, hcn.NetworkACLPolicySetting{
			Protocols: "6", Action: hcn.ActionTypeAllow, Direction: hcn.DirectionTypeIn,
			LocalAddresses: "192.168.100.0/24,10.0.0.21", RemoteAddresses: "192.168.100.0/24,10.0.0.22",
			LocalPorts: "80,8080", RemotePorts: "80,8080", RuleType: hcn.RuleTypeSwitch, Priority: 200,
		}},
		{"SetPolicy", 13, 0, hcn.SetPolicy, hcn.SetPolicySetting{
			Id: "azure-npm-1", Name: "pods", Type: hcn.SetPolicyTypeIpSet, Values: "10.0.0.5,10.0.0.6",
		}},
		{"L4Proxy", 9, 5, hcn.NetworkL4Proxy, hcn.L4ProxyPolicySetting{
			IP: "10.127.0.12", Port: "15001", Protocol: hcn.ProtocolTypeTCP, Exceptions: []string{"10.1.0.0/16"},
			Destination: "10.96.0.0/12", OutboundNAT: true,
		}},
	}
}

func TestAPolicyOfANetworkIsAddedAndRemoved(t *testing.T) {
	for _, row := range addedPolicies() {
		t.Run(row.name, func(t *testing.T) {
			network := newNetwork(t, hcn.Overlay)
			request := hcn.PolicyNetworkRequest{Policies: []hcn.NetworkPolicy{networkPolicy(t, row.kind, row.setting)}}
			err := network.AddPolicy(request)
			if !since(t, row.major, row.minor) {
				wantCode(t, err, invalidPolicyType)
				wantEqual(t, len(settingsOf(t, network, row.kind)), 0)
				return
			}
			check(t, err)
			wantPolicy(t, network, row.kind, row.setting)
			check(t, network.RemovePolicy(request))
			wantEqual(t, len(settingsOf(t, network, row.kind)), 0)
			wantCode(t, network.RemovePolicy(request), policyNotFound)
		})
	}
}

func TestANetworkIsCreatedWithAPolicy(t *testing.T) {
	for name, row := range map[string]struct {
		major, minor int
		kind         hcn.NetworkPolicyType
		setting      any
	}{
		"SourceMacAddress": {9, 2, hcn.SourceMacAddress,
			hcn.SourceMacAddressNetworkPolicySetting{SourceMacAddress: "00-15-5D-00-00-77"}},
		"NetAdapterName": {9, 2, hcn.NetAdapterName,
			hcn.NetAdapterNameNetworkPolicySetting{NetworkAdapterName: "Ethernet"}},
		"VSwitchExtension": {9, 2, hcn.VSwitchExtension,
			hcn.VSwitchExtensionNetworkPolicySetting{ExtensionID: "583CC151-73EC-4A6A-8B47-578297AD7623", Enable: true}},
		"DrMacAddress": {9, 2, hcn.DrMacAddress, hcn.DrMacAddressNetworkPolicySetting{Address: "00-15-5D-00-00-78"}},
		"AutomaticDNS": {9, 2, hcn.AutomaticDNS, hcn.AutomaticDNSNetworkPolicySetting{Enable: true}},
		"InterfaceConstraint": {9, 2, hcn.InterfaceConstraint,
			hcn.InterfaceConstraintPolicySetting{InterfaceAlias: "Ethernet", InterfaceIndex: 4}},
		"LayerConstraint": {9, 2, hcn.LayerConstraint,
			hcn.LayerConstraintNetworkPolicySetting{LayerId: "1c5a2f4e-4c0b-4b0c-9c39-0f6f1d8b7a21"}},
		"VxlanPort": {10, 3, hcn.VxlanPort, hcn.VxlanPortPolicySetting{Port: 8472}},
		"HostRoute": {9, 2, hcn.HostRoute, struct{}{}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := definition(t, hcn.Overlay, networkPolicy(t, row.kind, row.setting))
			if !since(t, row.major, row.minor) {
				_, err := asked.Create()
				wantCode(t, err, invalidPolicyType)
				return
			}
			wantPolicy(t, createNetwork(t, asked), row.kind, row.setting)
		})
	}
}

func TestAnOverlayNetworkShowsItsProviderAddressAndItsRoutersMac(t *testing.T) {
	network := newNetwork(t, hcn.Overlay)
	for kind, empty := range map[hcn.NetworkPolicyType]any{
		hcn.ProviderAddress: hcn.ProviderAddressNetworkPolicySetting{},
		hcn.DrMacAddress:    hcn.DrMacAddressNetworkPolicySetting{},
	} {
		shown := settingsOf(t, network, kind)
		if len(shown) != 1 || decoded(t, shown[0], empty) == empty {
			t.Errorf("%s: got %s", kind, shown)
		}
	}
}

func TestAProviderAddressChoosesTheAdapter(t *testing.T) {
	network := newNetwork(t, hcn.Overlay)
	var provider hcn.ProviderAddressNetworkPolicySetting
	check(t, json.Unmarshal(settingsOf(t, network, hcn.ProviderAddress)[0], &provider))

	second := definition(t, hcn.L2Bridge, networkPolicy(t, hcn.ProviderAddress, provider))
	second.Name += " two"
	wantPolicy(t, createNetwork(t, second), hcn.ProviderAddress, provider)

	strange := hcn.ProviderAddressNetworkPolicySetting{ProviderAddress: "203.0.113.77"}
	third := definition(t, hcn.L2Bridge, networkPolicy(t, hcn.ProviderAddress, strange))
	third.Name += " three"
	_, err := third.Create()
	wantCode(t, err, hcn.ErrorCode(windows.HCN_E_ADAPTER_NOT_FOUND))
}

func TestAnAdapterThatIsNotThereIsRefused(t *testing.T) {
	policy := networkPolicy(t, hcn.NetAdapterName,
		hcn.NetAdapterNameNetworkPolicySetting{NetworkAdapterName: "Ethernet 77"})
	_, err := definition(t, hcn.L2Bridge, policy).Create()
	wantCode(t, err, hcn.ErrorCode(windows.HCN_E_ADAPTER_NOT_FOUND))
}

func TestASubnetKeepsItsIsolationId(t *testing.T) {
	for name, row := range map[string]struct {
		network hcn.NetworkType
		kind    hcn.SubnetPolicyType
		setting any
	}{
		"VLAN": {hcn.L2Bridge, hcn.VLAN, hcn.VlanPolicySetting{IsolationId: 77}},
		"VSID": {hcn.Overlay, hcn.VSID, hcn.VsidPolicySetting{IsolationId: 4096}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := definition(t, row.network)
			policy := hcn.SubnetPolicy{Type: row.kind, Settings: marshal(t, row.setting)}
			asked.Ipams[0].Subnets[0].Policies = []json.RawMessage{marshal(t, policy)}
			shown := createNetwork(t, asked).Ipams[0].Subnets[0].Policies
			wantEqual(t, len(shown), 1)
			got := decoded(t, shown[0], policy).(hcn.SubnetPolicy)
			wantEqual(t, got.Type, row.kind)
			wantEqual(t, decoded(t, got.Settings, row.setting), row.setting)
		})
	}
}

func TestAnOverlayNetworkNeedsAnIsolationId(t *testing.T) {
	asked := definition(t, hcn.Overlay)
	asked.Ipams[0].Subnets[0].Policies = nil
	_, err := asked.Create()
	wantCode(t, err, hcn.ErrorCode(windows.HCN_E_INVALID_NETWORK))
}

func TestANestedSetHasOtherSets(t *testing.T) {
	network := newNetwork(t, hcn.L2Bridge)
	inner := networkPolicy(t, hcn.SetPolicy,
		hcn.SetPolicySetting{Id: "inner", Name: "inner", Type: hcn.SetPolicyTypeIpSet, Values: "10.0.0.5"})
	outer := networkPolicy(t, hcn.SetPolicy,
		hcn.SetPolicySetting{Id: "outer", Name: "outer", Type: hcn.SetPolicyTypeNestedIpSet, Values: "inner"})
	err := network.AddPolicy(hcn.PolicyNetworkRequest{Policies: []hcn.NetworkPolicy{inner, outer}})
	if hcn.NestedIpSetSupported() != nil {
		wantCode(t, err, invalidPolicyType)
		return
	}
	check(t, err)
	wantEqual(t, len(settingsOf(t, network, hcn.SetPolicy)), 2)
	// The inner set cannot go before the one that names it.
	request := hcn.PolicyNetworkRequest{Policies: []hcn.NetworkPolicy{inner}}
	wantCode(t, network.RemovePolicy(request), hcn.ErrorCode(windows.HCN_E_ENTITY_HAS_REFERENCES))
}

func TestASetIsUpdatedByItsId(t *testing.T) {
	network := newNetwork(t, hcn.L2Bridge)
	set := hcn.SetPolicySetting{Id: "pods", Name: "pods", Type: hcn.SetPolicyTypeIpSet, Values: "10.0.0.5"}
	request := func(kind hcn.RequestType) *hcn.ModifyNetworkSettingRequest {
		policies := []hcn.NetworkPolicy{networkPolicy(t, hcn.SetPolicy, set)}
		return &hcn.ModifyNetworkSettingRequest{
			ResourceType: hcn.NetworkResourceTypePolicy,
			RequestType:  kind,
			Settings:     marshal(t, hcn.PolicyNetworkRequest{Policies: policies}),
		}
	}
	err := network.ModifyNetworkSettings(request(hcn.RequestTypeAdd))
	if hcn.SetPolicySupported() != nil {
		wantCode(t, err, invalidPolicyType)
		return
	}
	check(t, err)
	set.Values = "10.0.0.6,10.0.0.7"
	check(t, network.ModifyNetworkSettings(request(hcn.RequestTypeUpdate)))
	wantPolicy(t, network, hcn.SetPolicy, set)
	check(t, network.ModifyNetworkSettings(request(hcn.RequestTypeRefresh)))
	wantPolicy(t, network, hcn.SetPolicy, set)
	check(t, network.ModifyNetworkSettings(request(hcn.RequestTypeRemove)))
	wantEqual(t, len(settingsOf(t, network, hcn.SetPolicy)), 0)
}

func TestPoliciesThatCannotBeReadAreRefused(t *testing.T) {
	network := newNetwork(t, hcn.Overlay)
	for name, setting := range map[string]hcn.RemoteSubnetRoutePolicySetting{
		"no settings": {},
		"not a prefix": {
			DestinationPrefix: "everywhere", ProviderAddress: "10.127.0.77", DistributedRouterMacAddress: "00-12-34-56-78-9a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			policy := networkPolicy(t, hcn.RemoteSubnetRoute, setting)
			err := network.AddPolicy(hcn.PolicyNetworkRequest{Policies: []hcn.NetworkPolicy{policy}})
			wantCode(t, err, invalidPolicy)
		})
	}
}

func TestAResourceThatNetworksDoNotHaveIsRefused(t *testing.T) {
	network := newNetwork(t, hcn.L2Bridge)
	err := network.ModifyNetworkSettings(&hcn.ModifyNetworkSettingRequest{
		ResourceType: "Colour", RequestType: hcn.RequestTypeAdd, Settings: json.RawMessage("{}"),
	})
	wantCode(t, err, requestUnsupported)
}

func TestAChangeOfANetworkThatIsNotThereIsRefused(t *testing.T) {
	network := &hcn.HostComputeNetwork{Id: missing}
	wantCode(t, network.AddPolicy(hcn.PolicyNetworkRequest{}), networkNotFound)
	wantCode(t, network.RemovePolicy(hcn.PolicyNetworkRequest{}), networkNotFound)
}
