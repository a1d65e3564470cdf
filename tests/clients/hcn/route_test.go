package hcn_test

import (
	"strings"
	"testing"

	"github.com/Microsoft/hcsshim/hcn"
	"golang.org/x/sys/windows"
)

var metadata = hcn.SDNRoutePolicySetting{DestinationPrefix: "169.254.169.254/32", NextHop: "127.10.0.34"}

// createRoute creates a route of these endpoints for the time of the test.
func createRoute(t *testing.T, endpoints ...*hcn.HostComputeEndpoint) *hcn.HostComputeRoute {
	t.Helper()
	route := &hcn.HostComputeRoute{SchemaVersion: hcn.V2SchemaVersion(), Setting: []hcn.SDNRoutePolicySetting{metadata}}
	for _, endpoint := range endpoints {
		route.HostComputeEndpoints = append(route.HostComputeEndpoints, endpoint.Id)
	}
	return ownedRoute(t, must(route.Create())(t))
}

// ownedRoute deletes a route at the end of the test; deleting one that is gone is no error for the library.
func ownedRoute(t *testing.T, route *hcn.HostComputeRoute) *hcn.HostComputeRoute {
	t.Helper()
	id := route.ID
	t.Cleanup(func() { check(t, (&hcn.HostComputeRoute{ID: id}).Delete()) })
	return route
}

func TestARouteIsCreatedAndDeleted(t *testing.T) {
	endpoint := newEndpoint(t, newNetwork(t, hcn.Overlay))
	route := createRoute(t, endpoint)
	wantEqual(t, route.Setting, []hcn.SDNRoutePolicySetting{metadata})
	wantEqual(t, route.SchemaVersion, hcn.V2SchemaVersion())
	if !sameIDs(route.HostComputeEndpoints, endpoint.Id) {
		t.Fatalf("got %v", route.HostComputeEndpoints)
	}
	check(t, route.Delete())
	_, err := hcn.GetRouteByID(route.ID)
	if !hcn.IsNotFoundError(err) {
		t.Fatal(err)
	}
	check(t, route.Delete())
}

func TestARouteIsFoundByItsId(t *testing.T) {
	route := createRoute(t, newEndpoint(t, newNetwork(t, hcn.Overlay)))
	for _, id := range []string{route.ID, strings.ToLower(route.ID), strings.ToUpper(route.ID)} {
		wantEqual(t, must(hcn.GetRouteByID(id))(t), route)
	}
}

func TestRoutesAreListed(t *testing.T) {
	wantEqual(t, len(must(hcn.ListRoutes())(t)), 0)
	route := createRoute(t, newEndpoint(t, newNetwork(t, hcn.Overlay)))
	wantEqual(t, must(hcn.ListRoutes())(t), []hcn.HostComputeRoute{*route})
	for id, want := range map[string]int{route.ID: 1, missing: 0} {
		query := hcn.HostComputeQuery{SchemaVersion: hcn.V2SchemaVersion(), Filter: `{"ID": "` + id + `"}`}
		wantEqual(t, len(must(hcn.ListRoutesQuery(query))(t)), want)
	}
}

func TestARouteIsAdded(t *testing.T) {
	for name, want := range map[string]hcn.SDNRoutePolicySetting{
		"to a next hop":      {DestinationPrefix: "10.30.0.0/16", NextHop: "192.168.100.3"},
		"through the host":   {DestinationPrefix: "10.96.0.0/12", NeedEncap: true},
		"with the host bits": {DestinationPrefix: "169.254.169.254/24", NextHop: "127.10.0.33"},
	} {
		t.Run(name, func(t *testing.T) {
			network := newNetwork(t, hcn.Overlay)
			one, other := newEndpoint(t, network), newEndpoint(t, network)
			endpoints := []hcn.HostComputeEndpoint{*one, *other}
			made := ownedRoute(t, must(hcn.AddRoute(endpoints, want.DestinationPrefix, want.NextHop, want.NeedEncap))(t))
			found := must(hcn.GetRouteByID(made.ID))(t)
			wantEqual(t, found, made)
			wantEqual(t, found.Setting, []hcn.SDNRoutePolicySetting{want})
			wantEqual(t, len(found.HostComputeEndpoints), 2)
		})
	}
}

func TestARouteWithoutEndpointsIsRefusedByTheLibrary(t *testing.T) {
	_, err := hcn.AddRoute(nil, metadata.DestinationPrefix, metadata.NextHop, false)
	wantText(t, err, "missing endpoints")
}

func TestARouteOfAnEndpointThatIsGoneIsRefused(t *testing.T) {
	endpoints := []hcn.HostComputeEndpoint{{Id: missing}}
	_, err := hcn.AddRoute(endpoints, metadata.DestinationPrefix, metadata.NextHop, false)
	wantCode(t, err, hcn.ErrorCode(windows.HCN_E_PORT_NOT_FOUND))
}

func TestARouteNeedsAPrefix(t *testing.T) {
	endpoints := []hcn.HostComputeEndpoint{*newEndpoint(t, newNetwork(t, hcn.Overlay))}
	_, err := hcn.AddRoute(endpoints, "everywhere", metadata.NextHop, false)
	wantCode(t, err, invalidPolicy)
}

func TestAnEndpointIsAddedToARouteAndRemoved(t *testing.T) {
	network := newNetwork(t, hcn.Overlay)
	one, other := newEndpoint(t, network), newEndpoint(t, network)
	route := createRoute(t, one)
	id := route.ID
	added := must(route.AddEndpoint(other))(t)
	wantEqual(t, len(added.HostComputeEndpoints), 2)
	wantEqual(t, added.ID, id)
	removed := must(route.RemoveEndpoint(other))(t)
	if !sameIDs(removed.HostComputeEndpoints, one.Id) {
		t.Fatalf("got %v, want %s", removed.HostComputeEndpoints, one.Id)
	}
	wantEqual(t, removed.ID, id)
	wantEqual(t, must(hcn.GetRouteByID(id))(t), removed)
}
