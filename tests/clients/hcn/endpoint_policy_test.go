package hcn_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/Microsoft/hcsshim/hcn"
	"golang.org/x/sys/windows"
)

func endpointPolicy(t *testing.T, kind hcn.EndpointPolicyType, setting any) hcn.EndpointPolicy {
	t.Helper()
	return hcn.EndpointPolicy{Type: kind, Settings: marshal(t, setting)}
}

func request(policies ...hcn.EndpointPolicy) hcn.PolicyEndpointRequest {
	return hcn.PolicyEndpointRequest{Policies: policies}
}

// policiesOf reads an endpoint again and returns the settings it shows for policies of a type.
func policiesOf(t *testing.T, endpoint *hcn.HostComputeEndpoint, kind hcn.EndpointPolicyType) []json.RawMessage {
	t.Helper()
	var settings []json.RawMessage
	for _, policy := range must(hcn.GetEndpointByID(endpoint.Id))(t).Policies {
		if policy.Type == kind {
			settings = append(settings, policy.Settings)
		}
	}
	return settings
}

// wantPolicies ends the test unless an endpoint shows just these policies of a type, in this order.
func wantPolicies[T any](t *testing.T, endpoint *hcn.HostComputeEndpoint, kind hcn.EndpointPolicyType, want ...T) {
	t.Helper()
	var got []T
	for _, settings := range policiesOf(t, endpoint, kind) {
		var setting T
		check(t, json.Unmarshal(settings, &setting))
		got = append(got, setting)
	}
	wantEqual(t, got, want)
}

// rule allows TCP between two lists of addresses, as a service mesh's data plane asks for it.
func rule(direction hcn.DirectionType, priority uint16) hcn.AclPolicySetting {
	return hcn.AclPolicySetting{
		Protocols: "6", Action: hcn.ActionTypeAllow, Direction: direction,
		LocalAddresses: "192.168.100.0/24,10.0.0.21", RemoteAddresses: "192.168.100.0/24,10.0.0.22",
		LocalPorts: "80,8080", RemotePorts: "80,8000-8080", RuleType: hcn.RuleTypeSwitch, Priority: priority,
	}
}

func wfpProxy() hcn.L4WfpProxyPolicySetting {
	return hcn.L4WfpProxyPolicySetting{
		InboundProxyPort:   "15003",
		OutboundProxyPort:  "15001",
		UserSID:            "S-1-5-32-556",
		FilterTuple:        hcn.FiveTuple{Protocols: "6", RemoteAddresses: "10.0.0.4", Priority: 8},
		InboundExceptions:  hcn.ProxyExceptions{IpAddressExceptions: []string{"12.0.1.12"}, PortExceptions: []string{"8181"}},
		OutboundExceptions: hcn.ProxyExceptions{IpAddressExceptions: []string{"10.0.1.12"}, PortExceptions: []string{"81"}},
	}
}

// tier has one rule that passes on to the next tier, and blocks all else.
func tier(name string, direction hcn.DirectionType, order uint16, pass hcn.TierAclRule) hcn.TierAclPolicySetting {
	pass.Id, pass.Priority, pass.TierAclRuleAction = name+"-pass", 2000, hcn.ActionTypePass
	block := hcn.TierAclRule{Id: name + "-block", TierAclRuleAction: hcn.ActionTypeBlock, Priority: 2100}
	return hcn.TierAclPolicySetting{
		Name: name, Direction: direction, Order: order, TierAclRules: []hcn.TierAclRule{pass, block},
	}
}

func TestAPolicyOfAnEndpointIsAddedAndRemoved(t *testing.T) {
	for name, row := range map[string]struct {
		major, minor int
		kind         hcn.EndpointPolicyType
		setting      any
	}{
		"PortMapping": {9, 2, hcn.PortMapping, hcn.PortMappingPolicySetting{
			Protocol: uint32(hcn.ProtocolTypeTCP), InternalPort: 80, ExternalPort: 30077, Flags: hcn.NatFlagsLocalRoutedVip,
		}},
		"ACL": {9, 2, hcn.ACL, rule(hcn.DirectionTypeIn, 200)},
		"ACL of the host's firewall": {9, 2, hcn.ACL, hcn.AclPolicySetting{
			Action: hcn.ActionTypeBlock, Direction: hcn.DirectionTypeOut, RuleType: hcn.RuleTypeHost, Priority: 100,
		}},
		"QOS":      {9, 2, hcn.QOS, hcn.QosPolicySetting{MaximumOutgoingBandwidthInBytes: 1 << 20}},
		"L2Driver": {9, 2, hcn.L2Driver, struct{}{}},
		"OutBoundNAT": {9, 2, hcn.OutBoundNAT, hcn.OutboundNatPolicySetting{
			Exceptions: []string{"10.244.0.0/16", "10.96.0.0/12"}, Destinations: []string{"203.0.113.0/24"},
			MaxPortPoolUsage: 32,
		}},
		"SDNRoute": {9, 2, hcn.SDNRoute, hcn.SDNRoutePolicySetting{DestinationPrefix: "10.96.0.0/12", NeedEncap: true}},
		"L4Proxy": {9, 5, hcn.L4Proxy, hcn.L4ProxyPolicySetting{
			IP: "10.127.0.12", Port: "15001", Protocol: hcn.ProtocolTypeUDP, Destination: "10.96.0.0/12",
		}},
		"L4WFPPROXY":    {13, 2, hcn.L4WFPPROXY, wfpProxy()},
		"PortName":      {9, 2, hcn.PortName, hcn.PortnameEndpointPolicySetting{Name: "pod-port"}},
		"EncapOverhead": {9, 2, hcn.EncapOverhead, hcn.EncapOverheadEndpointPolicySetting{Overhead: 50}},
		"Iov": {9, 2, hcn.IOV, hcn.IovPolicySetting{
			IovOffloadWeight: 100, QueuePairsRequested: 1, InterruptModeration: 200,
		}},
		"ProviderAddress": {9, 2, hcn.NetworkProviderAddress,
			hcn.ProviderAddressEndpointPolicySetting{ProviderAddress: "10.127.0.77"}},
		"InterfaceConstraint": {9, 2, hcn.NetworkInterfaceConstraint,
			hcn.InterfaceConstraintPolicySetting{InterfaceAlias: "Ethernet", InterfaceLuid: 1689399632855040}},
		"TierAcl": {14, 0, hcn.TierAcl, tier("only", hcn.DirectionTypeIn, 1001, hcn.TierAclRule{Protocols: "6"})},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := newEndpoint(t, newNetwork(t, hcn.Overlay))
			asked := request(endpointPolicy(t, row.kind, row.setting))
			err := endpoint.ApplyPolicy(hcn.RequestTypeAdd, asked)
			if !since(t, row.major, row.minor) {
				wantCode(t, err, invalidPolicyType)
				wantEqual(t, len(policiesOf(t, endpoint, row.kind)), 0)
				return
			}
			check(t, err)
			shown := policiesOf(t, endpoint, row.kind)
			wantEqual(t, len(shown), 1)
			wantEqual(t, decoded(t, shown[0], row.setting), row.setting)
			check(t, endpoint.ApplyPolicy(hcn.RequestTypeRemove, asked))
			wantEqual(t, len(policiesOf(t, endpoint, row.kind)), 0)
			wantCode(t, endpoint.ApplyPolicy(hcn.RequestTypeRemove, asked), policyNotFound)
		})
	}
}

func TestAnEndpointIsCreatedWithPolicies(t *testing.T) {
	nat := hcn.OutboundNatPolicySetting{Exceptions: []string{"192.168.100.0/24"}}
	route := hcn.SDNRoutePolicySetting{DestinationPrefix: "10.96.0.0/12", NeedEncap: true}
	endpoint := createEndpoint(t, newNetwork(t, hcn.L2Bridge), hcn.HostComputeEndpoint{
		Name:     t.Name(),
		Policies: []hcn.EndpointPolicy{endpointPolicy(t, hcn.OutBoundNAT, nat), endpointPolicy(t, hcn.SDNRoute, route)},
	})
	wantPolicies(t, endpoint, hcn.OutBoundNAT, nat)
	wantPolicies(t, endpoint, hcn.SDNRoute, route)
}

func TestRulesAreUpdatedAllAtOnce(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.NAT))
	in, out := rule(hcn.DirectionTypeIn, 200), rule(hcn.DirectionTypeOut, 200)
	both := request(endpointPolicy(t, hcn.ACL, in), endpointPolicy(t, hcn.ACL, out))
	check(t, endpoint.ApplyPolicy(hcn.RequestTypeUpdate, both))
	wantPolicies(t, endpoint, hcn.ACL, in, out)
	in.Priority = 300
	check(t, endpoint.ApplyPolicy(hcn.RequestTypeUpdate, request(endpointPolicy(t, hcn.ACL, in))))
	wantPolicies(t, endpoint, hcn.ACL, in)
}

func TestAnUpdateOfRulesLeavesOtherPolicies(t *testing.T) {
	nat := hcn.OutboundNatPolicySetting{Exceptions: []string{"192.168.100.0/24"}}
	endpoint := createEndpoint(t, newNetwork(t, hcn.Overlay), hcn.HostComputeEndpoint{
		Name: t.Name(), Policies: []hcn.EndpointPolicy{endpointPolicy(t, hcn.OutBoundNAT, nat)},
	})
	update := request(endpointPolicy(t, hcn.ACL, rule(hcn.DirectionTypeIn, 200)))
	check(t, endpoint.ApplyPolicy(hcn.RequestTypeUpdate, update))
	wantPolicies(t, endpoint, hcn.OutBoundNAT, nat)
	wantPolicies(t, endpoint, hcn.ACL, rule(hcn.DirectionTypeIn, 200))
}

func TestPoliciesAreModifiedByTheIdOfTheirEndpoint(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.NAT))
	modify := func(kind hcn.RequestType) error {
		return hcn.ModifyEndpointSettings(endpoint.Id, &hcn.ModifyEndpointSettingRequest{
			ResourceType: hcn.EndpointResourceTypePolicy,
			RequestType:  kind,
			Settings:     marshal(t, request(endpointPolicy(t, hcn.ACL, rule(hcn.DirectionTypeIn, 200)))),
		})
	}
	for _, kind := range []hcn.RequestType{hcn.RequestTypeUpdate, hcn.RequestTypeRefresh} {
		check(t, modify(kind))
		wantPolicies(t, endpoint, hcn.ACL, rule(hcn.DirectionTypeIn, 200))
	}
	check(t, modify(hcn.RequestTypeRemove))
	wantEqual(t, len(policiesOf(t, endpoint, hcn.ACL)), 0)
}

func TestTiersOfRulesAreApplied(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.L2Bridge))
	var tiers []hcn.TierAclPolicySetting
	var policies []hcn.EndpointPolicy
	for _, direction := range []hcn.DirectionType{hcn.DirectionTypeIn, hcn.DirectionTypeOut} {
		for order, pass := range []hcn.TierAclRule{
			{Protocols: "6", LocalAddresses: "192.168.100.0/24,10.0.0.21", LocalPorts: "80", RemotePorts: "80"},
			{LocalAddresses: "192.168.100.0/24", RemoteAddresses: "192.168.100.0/24"},
			{Protocols: "17", LocalPorts: "8080", RemotePorts: "8080"},
		} {
			tiers = append(tiers, tier(fmt.Sprintf("%s%d", direction, order), direction, 1001+uint16(order), pass))
			policies = append(policies, endpointPolicy(t, hcn.TierAcl, tiers[len(tiers)-1]))
		}
	}
	err := endpoint.ApplyPolicy(hcn.RequestTypeUpdate, request(policies...))
	if hcn.TierAclPolicySupported() != nil {
		wantCode(t, err, invalidPolicyType)
		return
	}
	check(t, err)
	wantPolicies(t, endpoint, hcn.TierAcl, tiers...)
}

func TestAProxyOfTheHostsFirewallIsAppliedOnANatNetwork(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.NAT))
	err := endpoint.ApplyPolicy(hcn.RequestTypeAdd, request(endpointPolicy(t, hcn.L4WFPPROXY, wfpProxy())))
	if hcn.L4WfpProxyPolicySupported() != nil {
		wantCode(t, err, invalidPolicyType)
		return
	}
	check(t, err)
	wantPolicies(t, endpoint, hcn.L4WFPPROXY, wfpProxy())
}

func TestAPortIsChosenForAMappingWithoutOne(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.NAT))
	mapping := hcn.PortMappingPolicySetting{Protocol: uint32(hcn.ProtocolTypeTCP), InternalPort: 80}
	check(t, endpoint.ApplyPolicy(hcn.RequestTypeAdd, request(endpointPolicy(t, hcn.PortMapping, mapping))))
	shown := decoded(t, policiesOf(t, endpoint, hcn.PortMapping)[0], mapping).(hcn.PortMappingPolicySetting)
	if shown.ExternalPort == 0 {
		t.Fatalf("got %+v", shown)
	}
}

func TestAMappingNeedsAPortInside(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.NAT))
	mapping := hcn.PortMappingPolicySetting{Protocol: uint32(hcn.ProtocolTypeTCP), ExternalPort: 30078}
	err := endpoint.ApplyPolicy(hcn.RequestTypeAdd, request(endpointPolicy(t, hcn.PortMapping, mapping)))
	wantCode(t, err, hcn.ErrorCode(windows.HCN_E_INVALID_INTERNAL_PORT))
}

func TestExceptionsWithHostBitsAreRefusedSinceHNS13(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.Overlay))
	nat := hcn.OutboundNatPolicySetting{Exceptions: []string{"10.244.0.7/16"}}
	err := endpoint.ApplyPolicy(hcn.RequestTypeAdd, request(endpointPolicy(t, hcn.OutBoundNAT, nat)))
	if since(t, 13, 0) {
		wantCode(t, err, invalidPolicy)
		return
	}
	check(t, err)
	wantPolicies(t, endpoint, hcn.OutBoundNAT, nat)
}

func TestRulesThatCannotBeReadAreRefused(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.NAT))
	for name, change := range map[string]func(*hcn.AclPolicySetting){
		"direction": func(rule *hcn.AclPolicySetting) { rule.Direction = "Sideways" },
		"action":    func(rule *hcn.AclPolicySetting) { rule.Action = "Ponder" },
		"protocol":  func(rule *hcn.AclPolicySetting) { rule.Protocols = "carrier pigeon" },
		"addresses": func(rule *hcn.AclPolicySetting) { rule.RemoteAddresses = "Any" },
		"ports":     func(rule *hcn.AclPolicySetting) { rule.LocalPorts = "80-70" },
	} {
		t.Run(name, func(t *testing.T) {
			broken := rule(hcn.DirectionTypeIn, 200)
			change(&broken)
			err := endpoint.ApplyPolicy(hcn.RequestTypeAdd, request(endpointPolicy(t, hcn.ACL, broken)))
			wantCode(t, err, invalidPolicy)
		})
	}
}

func TestARuleNamesASetOfItsNetwork(t *testing.T) {
	network := newNetwork(t, hcn.L2Bridge)
	set := hcn.SetPolicySetting{Id: "pods", Name: "pods", Type: hcn.SetPolicyTypeIpSet, Values: "10.0.0.5"}
	err := network.AddPolicy(hcn.PolicyNetworkRequest{
		Policies: []hcn.NetworkPolicy{networkPolicy(t, hcn.SetPolicy, set)},
	})
	if hcn.SetPolicySupported() != nil {
		wantCode(t, err, invalidPolicyType)
		return
	}
	check(t, err)
	endpoint := newEndpoint(t, network)
	named := hcn.AclPolicySetting{
		Action: hcn.ActionTypeAllow, Direction: hcn.DirectionTypeIn, RemoteAddresses: set.Id, RuleType: hcn.RuleTypeSwitch,
	}
	check(t, endpoint.ApplyPolicy(hcn.RequestTypeAdd, request(endpointPolicy(t, hcn.ACL, named))))
	wantPolicies(t, endpoint, hcn.ACL, named)
}
