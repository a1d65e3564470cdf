package hnslib_test

import (
	"slices"
	"testing"

	"github.com/Microsoft/hnslib/hcn"
	"golang.org/x/sys/windows"
)

var remoteSubnet = hcn.RemoteSubnetRoutePolicySetting{
	DestinationPrefix: "192.168.2.0/24", IsolationId: 4096, ProviderAddress: "10.127.0.99", DistributedRouterMacAddress: "00-12-34-56-78-9a",
}

func networkPolicies(t *testing.T, kind hcn.NetworkPolicyType, settings ...any) hcn.PolicyNetworkRequest {
	t.Helper()
	var policies []hcn.NetworkPolicy
	for _, one := range settings {
		policies = append(policies, hcn.NetworkPolicy{Type: kind, Settings: document(t, one)})
	}
	return hcn.PolicyNetworkRequest{Policies: policies}
}

func policiesOfNetwork(t *testing.T, network *hcn.HostComputeNetwork, kind hcn.NetworkPolicyType) []hcn.NetworkPolicy {
	t.Helper()
	found, err := hcn.GetNetworkByID(network.Id)
	check(t, err)
	return slices.DeleteFunc(found.Policies, func(policy hcn.NetworkPolicy) bool { return policy.Type != kind })
}

func TestANetworkKeepsItsPolicies(t *testing.T) {
	for name, policy := range map[string]struct {
		kind     hcn.NetworkPolicyType
		settings any
		since    hcn.Version
	}{
		"MAC of the host":   {hcn.SourceMacAddress, hcn.SourceMacAddressNetworkPolicySetting{SourceMacAddress: "00-15-5D-01-02-09"}, always},
		"extension":         {hcn.VSwitchExtension, hcn.VSwitchExtensionNetworkPolicySetting{ExtensionID: "430BDADD-BAB0-41AB-A369-94B67FA5BE0A", Enable: true}, always},
		"name servers":      {hcn.AutomaticDNS, hcn.AutomaticDNSNetworkPolicySetting{Enable: true}, always},
		"constraint":        {hcn.InterfaceConstraint, hcn.InterfaceConstraintPolicySetting{InterfaceAlias: "Ethernet"}, always},
		"layer":             {hcn.LayerConstraint, hcn.LayerConstraintNetworkPolicySetting{LayerId: missing}, always},
		"remote subnet":     {hcn.RemoteSubnetRoute, remoteSubnet, always},
		"route of the host": {hcn.HostRoute, struct{}{}, always},
		"port of VXLAN":     {hcn.VxlanPort, hcn.VxlanPortPolicySetting{Port: 4790}, hcn.Version{Major: 10, Minor: 3}},
		"proxy":             {hcn.NetworkL4Proxy, hcn.L4ProxyPolicySetting{Port: "15001", Protocol: hcn.ProtocolTypeUDP, Destination: "0.0.0.0/0"}, always},
		"set of addresses":  {hcn.SetPolicy, hcn.SetPolicySetting{Id: "a", Name: "set", Type: hcn.SetPolicyTypeIpSet, Values: "10.0.0.1,10.0.0.2"}, hcn.Version{Major: 13}},
		"ACL of all":        {hcn.NetworkACL, hcn.NetworkACLPolicySetting{Protocols: "6", Action: hcn.ActionTypeAllow, Direction: hcn.DirectionTypeIn, LocalPorts: "80", RuleType: hcn.RuleTypeSwitch, Priority: 200}, hcn.Version{Major: 15}},
	} {
		t.Run(name, func(t *testing.T) {
			network, request := overlayNetwork(t), networkPolicies(t, policy.kind, policy.settings)
			err := network.AddPolicy(request)
			if !since(policy.since.Major, policy.since.Minor) {
				wantCode(t, err, windows.HCN_E_INVALID_POLICY_TYPE)
				wantEqual(t, "policies", len(policiesOfNetwork(t, network, policy.kind)), 0)
				return
			}
			check(t, err)
			policies := policiesOfNetwork(t, network, policy.kind)
			wantEqual(t, "policies", len(policies), 1)
			wantMembers(t, policies[0].Settings, policy.settings)
			check(t, network.RemovePolicy(request))
			wantEqual(t, "policies", len(policiesOfNetwork(t, network, policy.kind)), 0)
		})
	}
}

// flannel waits for the first and reads the second.
func TestAnOverlayNetworkShowsWhatHNSChose(t *testing.T) {
	network := overlayNetwork(t)
	for kind, member := range map[hcn.NetworkPolicyType]any{
		hcn.ProviderAddress: &hcn.ProviderAddressEndpointPolicySetting{}, hcn.DrMacAddress: &hcn.DrMacAddressNetworkPolicySetting{},
	} {
		policies := policiesOfNetwork(t, network, kind)
		wantEqual(t, string(kind), len(policies), 1)
		unmarshal(t, policies[0].Settings, member)
		switch setting := member.(type) {
		case *hcn.ProviderAddressEndpointPolicySetting:
			wantEqual(t, "an address", setting.ProviderAddress != "", true)
		case *hcn.DrMacAddressNetworkPolicySetting:
			wantEqual(t, "a MAC", setting.Address != "", true)
		}
	}
}

func TestARemoteSubnetIsThereOnce(t *testing.T) {
	network, request := overlayNetwork(t), networkPolicies(t, hcn.RemoteSubnetRoute, remoteSubnet)
	check(t, network.AddPolicy(request))
	wantCode(t, network.AddPolicy(request), windows.HCN_E_POLICY_ALREADY_EXISTS)
	check(t, network.RemovePolicy(request))
	wantCode(t, network.RemovePolicy(request), windows.HCN_E_POLICY_NOT_FOUND)
}

func TestASetOfSetsNeedsThem(t *testing.T) {
	set := hcn.SetPolicySetting{Id: "a", Name: "set", Type: hcn.SetPolicyTypeIpSet, Values: "10.0.0.1"}
	nested := hcn.SetPolicySetting{Id: "b", Name: "nested", Type: hcn.SetPolicyTypeNestedIpSet, Values: "a"}
	network := bridgeNetwork(t)
	err := network.AddPolicy(networkPolicies(t, hcn.SetPolicy, set, nested))
	if hcn.NestedIpSetSupported() != nil {
		wantCode(t, err, windows.HCN_E_INVALID_POLICY_TYPE)
		return
	}
	check(t, err)
	wantCode(t, network.RemovePolicy(networkPolicies(t, hcn.SetPolicy, set)), windows.HCN_E_ENTITY_HAS_REFERENCES)
	check(t, network.RemovePolicy(networkPolicies(t, hcn.SetPolicy, set, nested)))
}

func TestASetIsUpdated(t *testing.T) {
	if hcn.SetPolicySupported() != nil {
		return // that it's refused there is TestANetworkKeepsItsPolicies's
	}
	network := bridgeNetwork(t)
	set := hcn.SetPolicySetting{Id: "a", Name: "set", Type: hcn.SetPolicyTypeIpSet, Values: "10.0.0.1"}
	check(t, network.AddPolicy(networkPolicies(t, hcn.SetPolicy, set)))
	set.Values = "10.0.0.3"
	check(t, network.ModifyNetworkSettings(&hcn.ModifyNetworkSettingRequest{
		ResourceType: hcn.NetworkResourceTypePolicy,
		RequestType:  hcn.RequestTypeUpdate,
		Settings:     document(t, networkPolicies(t, hcn.SetPolicy, set)),
	}))
	policies := policiesOfNetwork(t, network, hcn.SetPolicy)
	wantEqual(t, "sets", len(policies), 1)
	wantMembers(t, policies[0].Settings, set)
}

func TestANetworksNameServersAreChanged(t *testing.T) {
	network := bridgeNetwork(t)
	dns := hcn.Dns{Domain: "d.local", Search: []string{"a.local"}, ServerList: []string{"10.96.0.10"}}
	check(t, network.ModifyNetworkSettings(&hcn.ModifyNetworkSettingRequest{
		ResourceType: hcn.NetworkResourceTypeDNS, RequestType: hcn.RequestTypeUpdate, Settings: document(t, dns),
	}))
	again, err := hcn.GetNetworkByID(network.Id)
	check(t, err)
	wantEqual(t, "domain", again.Dns.Domain, dns.Domain)
	wantEqual(t, "name server", again.Dns.ServerList[0], dns.ServerList[0])
}

func TestAnExtensionThatTheSwitchDoesNotHaveIsNotSwitchedOn(t *testing.T) {
	network := bridgeNetwork(t)
	err := network.ModifyNetworkSettings(&hcn.ModifyNetworkSettingRequest{
		ResourceType: hcn.NetworkResourceTypeExtension, RequestType: hcn.RequestTypeUpdate, Settings: document(t, struct{}{}),
	})
	wantCode(t, err, windows.HCN_E_SWITCH_EXTENSION_NOT_FOUND)
}
