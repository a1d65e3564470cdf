package hns_test

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/Microsoft/hcsshim"
	"github.com/Microsoft/hcsshim/hcn"
	"golang.org/x/sys/windows"
)

func TestAnEndpointIsCreatedAsAsked(t *testing.T) {
	network := natNetwork(t)
	endpoint, err := (&hcsshim.HNSEndpoint{
		Name:           "asked",
		VirtualNetwork: network.Id,
		IPAddress:      net.IPv4(192, 168, 90, 20),
		MacAddress:     "00-15-5D-01-02-03",
		DNSSuffix:      "lab.example",
		DNSServerList:  "192.0.2.53",
	}).Create()
	check(t, err)
	if endpoint.Id == "" {
		t.Error("it has no id")
	}
	wantEqual(t, "name", endpoint.Name, "asked")
	wantEqual(t, "address", endpoint.IPAddress.String(), "192.168.90.20")
	wantEqual(t, "prefix length", endpoint.PrefixLength, 24)
	wantEqual(t, "gateway", endpoint.GatewayAddress, "192.168.90.1")
	wantEqual(t, "MAC", endpoint.MacAddress, "00-15-5D-01-02-03")
	wantEqual(t, "suffix", endpoint.DNSSuffix, "lab.example")
	wantEqual(t, "servers", endpoint.DNSServerList, "192.0.2.53")
	wantEqual(t, "network", strings.ToUpper(endpoint.VirtualNetwork), strings.ToUpper(network.Id))
	wantEqual(t, "network's name", endpoint.VirtualNetworkName, network.Name)
	wantEqual(t, "state", endpoint.State.String(), "Created")
}

func TestAnEndpointGetsAddressAndMACWhereNoneIsAsked(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "chosen")
	_, prefix, _ := net.ParseCIDR("192.168.90.0/24")
	if !prefix.Contains(endpoint.IPAddress) || endpoint.IPAddress.Equal(net.IPv4(192, 168, 90, 1)) {
		t.Errorf("got address %s", endpoint.IPAddress)
	}
	if _, err := net.ParseMAC(endpoint.MacAddress); err != nil {
		t.Error(err)
	}
}

func TestANewEndpointIsOfItsNetwork(t *testing.T) {
	network := natNetwork(t)
	endpoint := network.NewEndpoint(net.IPv4(192, 168, 90, 21), nil)
	endpoint.Name = "new"
	made, err := endpoint.Create()
	check(t, err)
	wantEqual(t, "network", strings.ToUpper(made.VirtualNetwork), strings.ToUpper(network.Id))
	wantEqual(t, "address", made.IPAddress.String(), "192.168.90.21")
}

func TestARemoteEndpointHasWhatItsHostGaveIt(t *testing.T) {
	remote := newRemoteEndpoint(t, overlayNetwork(t), "192.168.92.77")
	wantEqual(t, "remote", remote.IsRemoteEndpoint, true)
	wantEqual(t, "address", remote.IPAddress.String(), "192.168.92.77")
	wantEqual(t, "MAC", remote.MacAddress, "02-11-22-33-44-55")
	wantEqual(t, "host", policyOf[hcsshim.PaPolicy](t, remote.Policies, hcsshim.PA).PA, "10.127.0.99")
}

func TestAnEndpointIsFound(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "found")
	for name, find := range map[string]func() (*hcsshim.HNSEndpoint, error){
		"by id":                 func() (*hcsshim.HNSEndpoint, error) { return hcsshim.GetHNSEndpointByID(endpoint.Id) },
		"by id in upper case":   func() (*hcsshim.HNSEndpoint, error) { return hcsshim.GetHNSEndpointByID(strings.ToUpper(endpoint.Id)) },
		"by id in lower case":   func() (*hcsshim.HNSEndpoint, error) { return hcsshim.GetHNSEndpointByID(strings.ToLower(endpoint.Id)) },
		"by name":               func() (*hcsshim.HNSEndpoint, error) { return hcsshim.GetHNSEndpointByName("found") },
		"by request for itself": func() (*hcsshim.HNSEndpoint, error) { return hcsshim.HNSEndpointRequest("GET", endpoint.Id, "") },
	} {
		t.Run(name, func(t *testing.T) {
			found, err := find()
			check(t, err)
			wantEqual(t, "id", found.Id, endpoint.Id)
			wantEqual(t, "address", found.IPAddress.String(), endpoint.IPAddress.String())
		})
	}
}

func TestEndpointsAreListed(t *testing.T) {
	network := natNetwork(t)
	made := []*hcsshim.HNSEndpoint{newEndpoint(t, network, "one"), newEndpoint(t, network, "other")}
	endpoints, err := hcsshim.HNSListEndpointRequest()
	check(t, err)
	for _, want := range made {
		if !slices.ContainsFunc(endpoints, func(e hcsshim.HNSEndpoint) bool { return e.Id == want.Id && e.Name == want.Name }) {
			t.Errorf("%s is not listed", want.Name)
		}
	}
}

func TestAnUpdateKeepsWhatItDoesNotName(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "before")
	updated, err := (&hcsshim.HNSEndpoint{Id: endpoint.Id, Name: "after"}).Update()
	check(t, err)
	wantEqual(t, "name", updated.Name, "after")
	found, err := hcsshim.GetHNSEndpointByID(endpoint.Id)
	check(t, err)
	wantEqual(t, "name", found.Name, "after")
	wantEqual(t, "address", found.IPAddress.String(), endpoint.IPAddress.String())
	wantEqual(t, "MAC", found.MacAddress, endpoint.MacAddress)
}

func TestADeletedEndpointIsGone(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "deleted")
	_, err := endpoint.Delete()
	check(t, err)
	_, err = hcsshim.GetHNSEndpointByID(endpoint.Id)
	wantText(t, err, "The endpoint was not found.")
}

func TestAnEndpointThatIsNotThereIsRefused(t *testing.T) {
	_, err := (&hcsshim.HNSEndpoint{Id: missing}).Delete()
	wantText(t, err, "The endpoint was not found.")
	_, err = (&hcsshim.HNSEndpoint{Id: missing, Name: "x"}).Update()
	wantCode(t, err, windows.Errno(windows.HCN_E_ENDPOINT_NOT_FOUND))
	_, err = hcsshim.GetHNSEndpointStats(missing)
	wantText(t, err, "The endpoint was not found.")
}

func TestAnEndpointIsRefused(t *testing.T) {
	for name, refused := range map[string]struct {
		endpoint hcsshim.HNSEndpoint
		code     windows.Handle
	}{
		"with its gateway's address":  {hcsshim.HNSEndpoint{IPAddress: net.IPv4(192, 168, 90, 1)}, windows.HCN_E_ADDR_INVALID_OR_RESERVED},
		"outside the subnet":          {hcsshim.HNSEndpoint{IPAddress: net.IPv4(192, 168, 1, 9)}, windows.HCN_E_ADDR_INVALID_OR_RESERVED},
		"with an address in use":      {hcsshim.HNSEndpoint{IPAddress: net.IPv4(192, 168, 90, 30)}, windows.HCN_E_ADDR_INVALID_OR_RESERVED},
		"of IPv6 where there is none": {hcsshim.HNSEndpoint{IPv6Address: net.ParseIP("2001:db8::9")}, windows.HCN_E_SUBNET_NOT_FOUND},
	} {
		t.Run(name, func(t *testing.T) {
			network := natNetwork(t)
			_, err := network.CreateEndpoint(&hcsshim.HNSEndpoint{Name: "first", IPAddress: net.IPv4(192, 168, 90, 30)})
			check(t, err)
			_, err = network.CreateEndpoint(&refused.endpoint)
			wantCode(t, err, windows.Errno(refused.code))
		})
	}
}

func TestAnEndpointWithoutNetworkIsRefused(t *testing.T) {
	_, err := (&hcsshim.HNSEndpoint{Name: "lost", VirtualNetwork: missing}).Create()
	wantCode(t, err, windows.Errno(windows.HCN_E_NETWORK_NOT_FOUND))
}

func TestStatisticsAreTheEndpoints(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "silent")
	stats, err := hcsshim.GetHNSEndpointStats(endpoint.Id)
	check(t, err)
	wantEqual(t, "endpoint", strings.ToUpper(stats.EndpointID), strings.ToUpper(endpoint.Id))
	silent := hcsshim.HNSEndpointStats{EndpointID: stats.EndpointID, InstanceID: stats.InstanceID}
	wantEqual(t, "counters of an endpoint that never was attached", *stats, silent)
}

func TestAnEndpointNamesItsNamespace(t *testing.T) {
	endpoint := newEndpoint(t, natNetwork(t), "inside")
	namespace, err := hcn.NewNamespace(hcn.NamespaceTypeHost).Create()
	check(t, err)
	t.Cleanup(func() { check(t, namespace.Delete()) })
	check(t, hcn.AddNamespaceEndpoint(namespace.Id, endpoint.Id))
	found, err := hcsshim.GetHNSEndpointByID(endpoint.Id)
	check(t, err)
	if found.Namespace == nil {
		t.Fatal("it names none")
	}
	want := hcsshim.Namespace{ID: strings.ToUpper(namespace.Id)}
	wantEqual(t, "namespace", strings.ToUpper(found.Namespace.ID), want.ID)
	wantEqual(t, "state", found.State.String(), "AttachedSharing")
}
