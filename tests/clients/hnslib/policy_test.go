package hnslib_test

import (
	"testing"

	"github.com/Microsoft/hnslib/hcn"
	"golang.org/x/sys/windows"
)

var allowWeb = hcn.AclPolicySetting{
	Protocols:       "6",
	Action:          hcn.ActionTypeAllow,
	Direction:       hcn.DirectionTypeIn,
	LocalPorts:      "80,8080",
	RemoteAddresses: "10.0.0.0/8,192.0.2.1",
	RuleType:        hcn.RuleTypeSwitch,
	Priority:        200,
}

var everybody = hcn.AclPolicySetting{
	Action: hcn.ActionTypeBlock, Direction: hcn.DirectionTypeOut, RuleType: hcn.RuleTypeHost, Priority: 300,
}

var always = hcn.Version{}

func endpointPolicy(t *testing.T, kind hcn.EndpointPolicyType, settings any) hcn.EndpointPolicy {
	t.Helper()
	return hcn.EndpointPolicy{Type: kind, Settings: document(t, settings)}
}

// policiesOf reads what an endpoint has of one type now.
func policiesOf(t *testing.T, endpoint *hcn.HostComputeEndpoint, kind hcn.EndpointPolicyType) []hcn.EndpointPolicy {
	t.Helper()
	found, err := hcn.GetEndpointByID(endpoint.Id)
	check(t, err)
	var policies []hcn.EndpointPolicy
	for _, policy := range found.Policies {
		if policy.Type == kind {
			policies = append(policies, policy)
		}
	}
	return policies
}

func wantPolicy(t *testing.T, endpoint *hcn.HostComputeEndpoint, kind hcn.EndpointPolicyType, settings any) {
	t.Helper()
	policies := policiesOf(t, endpoint, kind)
	if len(policies) != 1 {
		t.Fatalf("got policies %v of type %s, want one", policies, kind)
	}
	wantMembers(t, policies[0].Settings, settings)
}

func request(policies ...hcn.EndpointPolicy) hcn.PolicyEndpointRequest {
	return hcn.PolicyEndpointRequest{Policies: policies}
}

func TestAnEndpointKeepsItsPolicies(t *testing.T) {
	for name, policy := range map[string]struct {
		kind     hcn.EndpointPolicyType
		settings any
		since    hcn.Version
	}{
		"port": {hcn.PortMapping, hcn.PortMappingPolicySetting{
			Protocol: 6, InternalPort: 80, ExternalPort: 19080, VIP: "10.127.0.97", Flags: hcn.NatFlagsLocalRoutedVip,
		}, always},
		"port of IPv6":    {hcn.PortMapping, hcn.PortMappingPolicySetting{Protocol: 6, InternalPort: 80, ExternalPort: 19081, Flags: hcn.NatFlagsIPv6}, always},
		"ACL of a switch": {hcn.ACL, allowWeb, always},
		"ACL of a host":   {hcn.ACL, everybody, always},
		"bandwidth":       {hcn.QOS, hcn.QosPolicySetting{MaximumOutgoingBandwidthInBytes: 1 << 20}, always},
		"driver":          {hcn.L2Driver, struct{}{}, always},
		"source": {hcn.OutBoundNAT, hcn.OutboundNatPolicySetting{
			VirtualIP: "10.127.0.97", Exceptions: []string{"10.96.0.0/12"}, Destinations: []string{"192.0.2.0/24"},
			Flags: hcn.NatFlagsNone, MaxPortPoolUsage: 32,
		}, always},
		"route": {hcn.SDNRoute, hcn.SDNRoutePolicySetting{DestinationPrefix: "10.96.0.0/12", NextHop: "192.168.81.1", NeedEncap: true}, always},
		"proxy": {hcn.L4Proxy, hcn.L4ProxyPolicySetting{
			IP: "192.168.81.2", Port: "15001", Protocol: hcn.ProtocolTypeTCP, Exceptions: []string{"10.0.0.0/8"},
			Destination: "0.0.0.0/0", OutboundNAT: true,
		}, always},
		"proxy of a compartment": {hcn.L4WFPPROXY, hcn.L4WfpProxyPolicySetting{
			InboundProxyPort: "15003", OutboundProxyPort: "15001", UserSID: "S-1-5-32-556",
			FilterTuple:        hcn.FiveTuple{Protocols: "6", RemoteAddresses: "10.0.0.4", Priority: 8},
			InboundExceptions:  hcn.ProxyExceptions{IpAddressExceptions: []string{"10.0.1.12"}},
			OutboundExceptions: hcn.ProxyExceptions{PortExceptions: []string{"81"}},
		}, hcn.Version{Major: 13, Minor: 2}},
		"name":       {hcn.PortName, hcn.PortnameEndpointPolicySetting{Name: "port"}, always},
		"overhead":   {hcn.EncapOverhead, hcn.EncapOverheadEndpointPolicySetting{Overhead: 60}, always},
		"SR-IOV":     {hcn.IOV, hcn.IovPolicySetting{IovOffloadWeight: 100, QueuePairsRequested: 1, InterruptModeration: 200}, always},
		"provider":   {hcn.NetworkProviderAddress, hcn.ProviderAddressEndpointPolicySetting{ProviderAddress: "10.127.0.98"}, always},
		"constraint": {hcn.NetworkInterfaceConstraint, hcn.InterfaceConstraintPolicySetting{InterfaceAlias: "Ethernet"}, always},
		"tier of ACLs": {hcn.TierAcl, hcn.TierAclPolicySetting{
			Name: "tier", Direction: hcn.DirectionTypeOut, Order: 1001,
			TierAclRules: []hcn.TierAclRule{
				{Id: "one", Protocols: "17", TierAclRuleAction: hcn.ActionTypePass, RemotePorts: "53", Priority: 2000},
				{Id: "other", TierAclRuleAction: hcn.ActionTypeBlock, Priority: 2100},
			},
		}, hcn.Version{Major: 14}},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := newEndpoint(t, bridgeNetwork(t), "policies")
			err := endpoint.ApplyPolicy(hcn.RequestTypeAdd, request(endpointPolicy(t, policy.kind, policy.settings)))
			if !since(policy.since.Major, policy.since.Minor) {
				wantCode(t, err, windows.HCN_E_INVALID_POLICY_TYPE)
				wantEqual(t, "policies", len(policiesOf(t, endpoint, policy.kind)), 0)
				return
			}
			check(t, err)
			wantPolicy(t, endpoint, policy.kind, policy.settings)
			check(t, endpoint.ApplyPolicy(hcn.RequestTypeRemove, request(endpointPolicy(t, policy.kind, policy.settings))))
			wantEqual(t, "policies", len(policiesOf(t, endpoint, policy.kind)), 0)
		})
	}
}

func TestAnEndpointIsCreatedWithPolicies(t *testing.T) {
	endpoint := newEndpoint(t, bridgeNetwork(t), "born", endpointPolicy(t, hcn.ACL, allowWeb))
	wantPolicy(t, endpoint, hcn.ACL, allowWeb)
}

func TestPoliciesAreAdded(t *testing.T) {
	endpoint := newEndpoint(t, bridgeNetwork(t), "added", endpointPolicy(t, hcn.ACL, allowWeb))
	check(t, endpoint.ApplyPolicy(hcn.RequestTypeAdd, request(endpointPolicy(t, hcn.ACL, everybody))))
	wantEqual(t, "ACLs", len(policiesOf(t, endpoint, hcn.ACL)), 2)
}

func TestAnUpdateReplacesPoliciesOfItsTypes(t *testing.T) {
	qos := hcn.QosPolicySetting{MaximumOutgoingBandwidthInBytes: 1 << 20}
	endpoint := newEndpoint(t, bridgeNetwork(t), "updated", endpointPolicy(t, hcn.ACL, allowWeb), endpointPolicy(t, hcn.QOS, qos))
	check(t, hcn.ModifyEndpointSettings(endpoint.Id, &hcn.ModifyEndpointSettingRequest{
		ResourceType: hcn.EndpointResourceTypePolicy,
		RequestType:  hcn.RequestTypeUpdate,
		Settings:     document(t, request(endpointPolicy(t, hcn.ACL, everybody))),
	}))
	wantPolicy(t, endpoint, hcn.ACL, everybody)
	wantPolicy(t, endpoint, hcn.QOS, qos)
}

func TestARefreshLeavesPoliciesAsTheyAre(t *testing.T) {
	endpoint := newEndpoint(t, bridgeNetwork(t), "refreshed", endpointPolicy(t, hcn.ACL, allowWeb))
	check(t, endpoint.ApplyPolicy(hcn.RequestTypeRefresh, request()))
	wantPolicy(t, endpoint, hcn.ACL, allowWeb)
}

func TestAPolicyThatIsNotThereIsNotRemoved(t *testing.T) {
	endpoint := newEndpoint(t, bridgeNetwork(t), "without")
	err := endpoint.ApplyPolicy(hcn.RequestTypeRemove, request(endpointPolicy(t, hcn.ACL, allowWeb)))
	wantCode(t, err, windows.HCN_E_POLICY_NOT_FOUND)
}

func TestAPolicyIsRefused(t *testing.T) {
	for name, refused := range map[string]struct {
		kind     hcn.EndpointPolicyType
		settings any
		code     windows.Handle
	}{
		"without a port":  {hcn.PortMapping, hcn.PortMappingPolicySetting{Protocol: 6, ExternalPort: 19082}, windows.HCN_E_INVALID_INTERNAL_PORT},
		"with no action":  {hcn.ACL, hcn.AclPolicySetting{Action: "Perhaps", Direction: hcn.DirectionTypeIn}, windows.HCN_E_INVALID_POLICY},
		"for address Any": {hcn.ACL, hcn.AclPolicySetting{Action: hcn.ActionTypeAllow, Direction: hcn.DirectionTypeIn, LocalAddresses: "Any"}, windows.HCN_E_INVALID_POLICY},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := newEndpoint(t, natNetwork(t), "refused")
			wantCode(t, endpoint.ApplyPolicy(hcn.RequestTypeAdd, request(endpointPolicy(t, refused.kind, refused.settings))), refused.code)
			wantEqual(t, "policies", len(policiesOf(t, endpoint, refused.kind)), 0)
		})
	}
}
