package hns_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/Microsoft/hcsshim"
	"golang.org/x/sys/windows"
)

func kept(t *testing.T, list *hcsshim.PolicyList, err error) *hcsshim.PolicyList {
	t.Helper()
	check(t, err)
	t.Cleanup(func() {
		if _, err := list.Delete(); err != nil {
			wantText(t, err, "Element not found.")
		}
	})
	return list
}

func balancer(t *testing.T, endpoints ...*hcsshim.HNSEndpoint) *hcsshim.PolicyList {
	t.Helper()
	list, err := hcsshim.AddLoadBalancer(values(endpoints), false, "192.168.92.5", "10.96.0.10", 6, 8080, 80)
	return kept(t, list, err)
}

func values(endpoints []*hcsshim.HNSEndpoint) []hcsshim.HNSEndpoint {
	var all []hcsshim.HNSEndpoint
	for _, endpoint := range endpoints {
		all = append(all, *endpoint)
	}
	return all
}

func references(endpoints ...*hcsshim.HNSEndpoint) []string {
	var all []string
	for _, endpoint := range endpoints {
		all = append(all, "/endpoints/"+endpoint.Id)
	}
	return all
}

func wantReferences(t *testing.T, list *hcsshim.PolicyList, endpoints ...*hcsshim.HNSEndpoint) {
	t.Helper()
	found, err := hcsshim.GetPolicyListByID(list.ID)
	check(t, err)
	for _, list := range []*hcsshim.PolicyList{list, found} {
		if want := references(endpoints...); !slices.Equal(list.EndpointReferences, want) {
			t.Errorf("got references %v, want %v", list.EndpointReferences, want)
		}
	}
}

func TestALoadBalancerIsAPolicyList(t *testing.T) {
	for name, want := range map[string]struct {
		internal bool
		vip      string
	}{
		"with a VIP":    {false, "10.96.0.10"},
		"internal":      {true, "10.96.0.10"},
		"without a VIP": {false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := newEndpoint(t, overlayNetwork(t), "backend")
			made, err := hcsshim.AddLoadBalancer([]hcsshim.HNSEndpoint{*endpoint}, want.internal, "192.168.92.5", want.vip, 6, 8080, 80)
			list := kept(t, made, err)
			if list.ID == "" {
				t.Error("it has no id")
			}
			wantReferences(t, list, endpoint)
			elb := policyOf[hcsshim.ELBPolicy](t, list.Policies, hcsshim.ExternalLoadBalancer)
			wantEqual(t, "ports", elb.LBPolicy, hcsshim.LBPolicy{
				Policy: hcsshim.Policy{Type: hcsshim.ExternalLoadBalancer}, Protocol: 6, InternalPort: 8080, ExternalPort: 80,
			})
			wantEqual(t, "source", elb.SourceVIP, "192.168.92.5")
			wantEqual(t, "internal", elb.ILB, want.internal)
			if vips := slices.DeleteFunc([]string{want.vip}, func(v string) bool { return v == "" }); !slices.Equal(elb.VIPs, vips) {
				t.Errorf("got VIPs %v, want %v", elb.VIPs, vips)
			}
		})
	}
}

func TestALoadBalancerWithDirectReturnIsCreated(t *testing.T) {
	endpoint := newEndpoint(t, overlayNetwork(t), "direct")
	made, err := (&hcsshim.PolicyList{
		EndpointReferences: references(endpoint),
		Policies: raw(t, hcsshim.ELBPolicy{
			LBPolicy: hcsshim.LBPolicy{
				Policy: hcsshim.Policy{Type: hcsshim.ExternalLoadBalancer}, Protocol: 17, InternalPort: 53, ExternalPort: 53,
			},
			VIPs: []string{"10.96.0.11"},
			DSR:  true,
		}),
	}).Create()
	list := kept(t, made, err)
	elb := policyOf[hcsshim.ELBPolicy](t, list.Policies, hcsshim.ExternalLoadBalancer)
	wantEqual(t, "direct return", elb.DSR, true)
}

func TestARouteIsAPolicyList(t *testing.T) {
	endpoint := newEndpoint(t, overlayNetwork(t), "routed")
	made, err := hcsshim.AddRoute([]hcsshim.HNSEndpoint{*endpoint}, "10.127.0.12/32", "10.127.0.12", true)
	list := kept(t, made, err)
	wantReferences(t, list, endpoint)
	wantEqual(t, "route", policyOf[hcsshim.RoutePolicy](t, list.Policies, hcsshim.Route), hcsshim.RoutePolicy{
		Policy:            hcsshim.Policy{Type: hcsshim.Route},
		DestinationPrefix: "10.127.0.12/32",
		NextHop:           "10.127.0.12",
		EncapEnabled:      true,
	})
}

func TestAPolicyListIsFound(t *testing.T) {
	list := balancer(t, newEndpoint(t, overlayNetwork(t), "found"))
	for name, find := range map[string]func() (*hcsshim.PolicyList, error){
		"by id":            func() (*hcsshim.PolicyList, error) { return hcsshim.GetPolicyListByID(list.ID) },
		"by one request":   func() (*hcsshim.PolicyList, error) { return hcsshim.PolicyListRequest("GET", list.ID, "") },
		"by other request": func() (*hcsshim.PolicyList, error) { return hcsshim.HNSPolicyListRequest("GET", list.ID, "") },
	} {
		t.Run(name, func(t *testing.T) {
			found, err := find()
			check(t, err)
			wantEqual(t, "id", found.ID, list.ID)
			wantEqual(t, "policies", len(found.Policies), 1)
		})
	}
}

func TestPolicyListsAreListed(t *testing.T) {
	endpoint := newEndpoint(t, overlayNetwork(t), "listed")
	made, err := hcsshim.AddRoute([]hcsshim.HNSEndpoint{*endpoint}, "10.127.0.12/32", "", true)
	route := kept(t, made, err)
	elb := balancer(t, endpoint)
	lists, err := hcsshim.HNSListPolicyListRequest()
	check(t, err)
	for _, want := range []*hcsshim.PolicyList{elb, route} {
		if !slices.ContainsFunc(lists, func(l hcsshim.PolicyList) bool { return l.ID == want.ID }) {
			t.Errorf("%s is not in %v", want.ID, lists)
		}
	}
}

func TestEndpointsComeAndGo(t *testing.T) {
	network := overlayNetwork(t)
	first, second := newEndpoint(t, network, "first"), newEndpoint(t, network, "second")
	made, err := hcsshim.AddRoute([]hcsshim.HNSEndpoint{*first}, "10.127.0.12/32", "", true)
	route := kept(t, made, err)
	for kind, list := range map[string]*hcsshim.PolicyList{"load balancer": balancer(t, first), "route": route} {
		t.Run(kind, func(t *testing.T) {
			both, err := list.AddEndpoint(second)
			check(t, err)
			wantReferences(t, both, first, second)
			wantEqual(t, "id", both.ID, list.ID)
			one, err := both.RemoveEndpoint(second)
			check(t, err)
			wantReferences(t, one, first)
			wantEqual(t, "id", one.ID, list.ID)
		})
	}
}

func TestALoadBalancerTakesRemoteBackends(t *testing.T) {
	network := overlayNetwork(t)
	local, remote := newEndpoint(t, network, "local"), newRemoteEndpoint(t, network, "192.168.92.79")
	wantReferences(t, balancer(t, local, remote), local, remote)
}

func TestADeletedPolicyListIsGone(t *testing.T) {
	list := balancer(t, newEndpoint(t, overlayNetwork(t), "deleted"))
	_, err := list.Delete()
	check(t, err)
	_, err = hcsshim.GetPolicyListByID(list.ID)
	wantText(t, err, "Element not found.")
	_, err = list.Delete()
	wantText(t, err, "Element not found.")
}

func TestAPolicyListOutlivesItsEndpoint(t *testing.T) {
	endpoint := newEndpoint(t, overlayNetwork(t), "mortal")
	list := balancer(t, endpoint)
	_, err := endpoint.Delete()
	check(t, err)
	wantReferences(t, list, endpoint)
}

func TestALoadBalancerIsRefused(t *testing.T) {
	gone := &hcsshim.HNSEndpoint{Id: missing}
	for name, refused := range map[string]struct {
		backends func(*hcsshim.HNSEndpoint) []*hcsshim.HNSEndpoint
		vip      string
		code     windows.Errno
	}{
		"with an endpoint not there": {
			func(*hcsshim.HNSEndpoint) []*hcsshim.HNSEndpoint { return []*hcsshim.HNSEndpoint{gone} },
			"10.96.0.12", windows.Errno(windows.HCN_E_PORT_NOT_FOUND),
		},
		"without endpoints": {
			func(*hcsshim.HNSEndpoint) []*hcsshim.HNSEndpoint { return nil },
			"10.96.0.12", windows.Errno(windows.HCN_E_INVALID_JSON_REFERENCE),
		},
		"with a front end that is taken": {
			func(e *hcsshim.HNSEndpoint) []*hcsshim.HNSEndpoint { return []*hcsshim.HNSEndpoint{e} },
			"10.96.0.10", windows.ERROR_ALREADY_EXISTS,
		},
		"with a VIP that is none": {
			func(e *hcsshim.HNSEndpoint) []*hcsshim.HNSEndpoint { return []*hcsshim.HNSEndpoint{e} },
			"10.96.0.300", windows.Errno(windows.HCN_E_INVALID_IP),
		},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := newEndpoint(t, overlayNetwork(t), "backend")
			balancer(t, endpoint)
			_, err := hcsshim.AddLoadBalancer(values(refused.backends(endpoint)), false, "", refused.vip, 6, 8080, 80)
			wantCode(t, err, refused.code)
		})
	}
}

func TestAPolicyListWithoutAKindIsRefused(t *testing.T) {
	endpoint := newEndpoint(t, overlayNetwork(t), "kindless")
	for name, policies := range map[string][]json.RawMessage{
		"no policy":      nil,
		"another policy": raw(t, hcsshim.QosPolicy{Type: hcsshim.QOS}),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := (&hcsshim.PolicyList{EndpointReferences: references(endpoint), Policies: policies}).Create()
			wantCode(t, err, windows.Errno(windows.HCN_E_INVALID_POLICY_TYPE))
		})
	}
}
