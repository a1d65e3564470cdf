package hns_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/Microsoft/hcsshim"
	"golang.org/x/sys/windows"
)

var allowWeb = hcsshim.ACLPolicy{
	Type:            hcsshim.ACL,
	Id:              "web",
	Protocol:        6,
	Action:          hcsshim.Allow,
	Direction:       hcsshim.In,
	LocalPort:       80,
	RemoteAddresses: "10.0.0.0/8,192.0.2.1",
	RuleType:        hcsshim.Switch,
	Priority:        200,
}

func TestAnEndpointKeepsItsPolicies(t *testing.T) {
	for name, policy := range map[string]any{
		"ports mapped":    hcsshim.NatPolicy{Type: hcsshim.Nat, Protocol: "TCP", InternalPort: 80, ExternalPort: 18080},
		"ports reserved":  hcsshim.NatPolicy{Type: hcsshim.Nat, Protocol: "UDP", InternalPort: 53, ExternalPort: 18053, ExternalPortReserved: true},
		"bandwidth":       hcsshim.QosPolicy{Type: hcsshim.QOS, MaximumOutgoingBandwidthInBytes: 1 << 20},
		"isolation":       hcsshim.IsolationPolicy{Type: hcsshim.Isolation, VLAN: 7, VSID: 4098},
		"VLAN":            hcsshim.VlanPolicy{Type: hcsshim.VLAN, VLAN: 7},
		"VSID":            hcsshim.VsidPolicy{Type: hcsshim.VSID, VSID: 4098},
		"provider":        hcsshim.PaPolicy{Type: hcsshim.PA, PA: "10.127.0.98"},
		"virtual network": hcsshim.Policy{Type: hcsshim.VNet},
		"driver":          hcsshim.Policy{Type: hcsshim.L2Driver},
		"route": hcsshim.RoutePolicy{
			Policy: hcsshim.Policy{Type: hcsshim.Route}, DestinationPrefix: "10.96.0.0/12", EncapEnabled: true,
		},
		"source translated": hcsshim.OutboundNatPolicy{
			Policy: hcsshim.Policy{Type: hcsshim.OutboundNat}, VIP: "10.127.0.97",
			Exceptions: []string{"10.96.0.0/12"}, Destinations: []string{"192.0.2.0/24"}, MaxPortPoolUsage: 32,
		},
		"proxy": hcsshim.ProxyPolicy{
			Type: hcsshim.Proxy, IP: "192.168.91.2", Port: "15001", ExceptionList: []string{"10.0.0.0/8"},
			Destination: "0.0.0.0/0", OutboundNat: true,
		},
		"ACL of the switch": allowWeb,
		"ACL of the host": hcsshim.ACLPolicy{
			Type: hcsshim.ACL, Protocols: "6,17", Action: hcsshim.Block, Direction: hcsshim.Out,
			RemotePorts: "1000-2000", RuleType: hcsshim.Host, Priority: 300,
		},
	} {
		t.Run(name, func(t *testing.T) {
			sent := raw(t, policy)
			endpoint, err := bridgeNetwork(t).CreateEndpoint(&hcsshim.HNSEndpoint{Name: "policies", Policies: sent})
			check(t, err)
			found, err := hcsshim.GetHNSEndpointByID(endpoint.Id)
			check(t, err)
			var header hcsshim.Policy
			check(t, json.Unmarshal(sent[0], &header))
			got := policyOf[map[string]any](t, found.Policies, header.Type)
			var want map[string]any
			check(t, json.Unmarshal(sent[0], &want))
			for member, value := range want {
				if !reflect.DeepEqual(got[member], value) {
					t.Errorf("%s: got %v, want %v", member, got[member], value)
				}
			}
		})
	}
}

func TestACLsAreAppliedToAnEndpoint(t *testing.T) {
	endpoint := newEndpoint(t, bridgeNetwork(t), "acl")
	check(t, endpoint.ApplyACLPolicy(&allowWeb, nil))
	found, err := hcsshim.GetHNSEndpointByID(endpoint.Id)
	check(t, err)
	wantEqual(t, "ACL", policyOf[hcsshim.ACLPolicy](t, found.Policies, hcsshim.ACL), allowWeb)
	wantEqual(t, "ACL of the endpoint in hand", policyOf[hcsshim.ACLPolicy](t, endpoint.Policies, hcsshim.ACL), allowWeb)
}

// Felix posts nothing but ACLs, and counts on the others staying.
func TestACLsLeaveOtherPoliciesAlone(t *testing.T) {
	mapping := hcsshim.NatPolicy{Type: hcsshim.Nat, Protocol: "TCP", InternalPort: 80, ExternalPort: 18081}
	endpoint, err := natNetwork(t).CreateEndpoint(&hcsshim.HNSEndpoint{Name: "felix", Policies: raw(t, mapping)})
	check(t, err)
	check(t, (&hcsshim.HNSEndpoint{Id: endpoint.Id}).ApplyACLPolicy(&allowWeb))
	found, err := hcsshim.GetHNSEndpointByID(endpoint.Id)
	check(t, err)
	wantEqual(t, "mapping", policyOf[hcsshim.NatPolicy](t, found.Policies, hcsshim.Nat), mapping)
	wantEqual(t, "ACL", policyOf[hcsshim.ACLPolicy](t, found.Policies, hcsshim.ACL), allowWeb)
}

func TestNewACLsReplaceTheOldOnes(t *testing.T) {
	endpoint := newEndpoint(t, bridgeNetwork(t), "replaced")
	check(t, (&hcsshim.HNSEndpoint{Id: endpoint.Id}).ApplyACLPolicy(&allowWeb))
	block := hcsshim.ACLPolicy{Type: hcsshim.ACL, Action: hcsshim.Block, Direction: hcsshim.Out, Priority: 400}
	check(t, (&hcsshim.HNSEndpoint{Id: endpoint.Id}).ApplyACLPolicy(&block))
	found, err := hcsshim.GetHNSEndpointByID(endpoint.Id)
	check(t, err)
	wantEqual(t, "ACL", policyOf[hcsshim.ACLPolicy](t, found.Policies, hcsshim.ACL).Action, hcsshim.Block)
}

func TestAProxyIsAppliedToAnEndpoint(t *testing.T) {
	endpoint := newEndpoint(t, bridgeNetwork(t), "proxy")
	check(t, endpoint.ApplyProxyPolicy(nil, &hcsshim.ProxyPolicy{Type: hcsshim.Proxy, Port: "15001", Destination: "0.0.0.0/0"}))
	found, err := hcsshim.GetHNSEndpointByID(endpoint.Id)
	check(t, err)
	wantEqual(t, "port", policyOf[hcsshim.ProxyPolicy](t, found.Policies, hcsshim.Proxy).Port, "15001")
}

func TestAPortIsChosenWhereNoneIsAsked(t *testing.T) {
	mapping := hcsshim.NatPolicy{Type: hcsshim.Nat, Protocol: "TCP", InternalPort: 80}
	endpoint, err := natNetwork(t).CreateEndpoint(&hcsshim.HNSEndpoint{Name: "port", Policies: raw(t, mapping)})
	check(t, err)
	if policyOf[hcsshim.NatPolicy](t, endpoint.Policies, hcsshim.Nat).ExternalPort == 0 {
		t.Error("it has no external port")
	}
}

func TestAMappedPortIsTaken(t *testing.T) {
	network := natNetwork(t)
	mapping := raw(t, hcsshim.NatPolicy{Type: hcsshim.Nat, Protocol: "TCP", InternalPort: 80, ExternalPort: 18082})
	_, err := network.CreateEndpoint(&hcsshim.HNSEndpoint{Name: "first", Policies: mapping})
	check(t, err)
	_, err = network.CreateEndpoint(&hcsshim.HNSEndpoint{Name: "second", Policies: mapping})
	wantCode(t, err, windows.Errno(windows.HCN_E_PORT_ALREADY_EXISTS))
}

func TestAPolicyIsRefused(t *testing.T) {
	for name, refused := range map[string]struct {
		policy any
		code   windows.Handle
	}{
		"without a port to map to": {hcsshim.NatPolicy{Type: hcsshim.Nat, Protocol: "TCP", ExternalPort: 18083}, windows.HCN_E_INVALID_INTERNAL_PORT},
		"for the address Any": {
			hcsshim.ACLPolicy{Type: hcsshim.ACL, Action: hcsshim.Allow, Direction: hcsshim.In, RemoteAddresses: "Any"},
			windows.HCN_E_INVALID_POLICY,
		},
		"with an action that is none": {
			hcsshim.ACLPolicy{Type: hcsshim.ACL, Action: "Perhaps", Direction: hcsshim.In},
			windows.HCN_E_INVALID_POLICY,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := natNetwork(t).CreateEndpoint(&hcsshim.HNSEndpoint{Name: "refused", Policies: raw(t, refused.policy)})
			wantCode(t, err, windows.Errno(refused.code))
		})
	}
}

func TestARefusedACLChangesNothing(t *testing.T) {
	endpoint := newEndpoint(t, bridgeNetwork(t), "unchanged")
	check(t, endpoint.ApplyACLPolicy(&allowWeb))
	bad := hcsshim.ACLPolicy{Type: hcsshim.ACL, Action: hcsshim.Allow, Direction: hcsshim.In, RemoteAddresses: "Any"}
	wantCode(t, (&hcsshim.HNSEndpoint{Id: endpoint.Id}).ApplyACLPolicy(&bad), windows.Errno(windows.HCN_E_INVALID_POLICY))
	found, err := hcsshim.GetHNSEndpointByID(endpoint.Id)
	check(t, err)
	wantEqual(t, "ACL", policyOf[hcsshim.ACLPolicy](t, found.Policies, hcsshim.ACL), allowWeb)
}

// Server 2022's and 2025's updates refuse exceptions with host bits.
func TestExceptionsArePrefixes(t *testing.T) {
	policy := hcsshim.OutboundNatPolicy{Policy: hcsshim.Policy{Type: hcsshim.OutboundNat}, Exceptions: []string{"10.96.0.1/12"}}
	_, err := bridgeNetwork(t).CreateEndpoint(&hcsshim.HNSEndpoint{Name: "nat", Policies: raw(t, policy)})
	if since(13, 0) {
		wantCode(t, err, windows.Errno(windows.HCN_E_INVALID_POLICY))
	} else {
		check(t, err)
	}
}
