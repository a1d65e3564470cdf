package hnslib_test

import (
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/Microsoft/hnslib/hcn"
	"golang.org/x/sys/windows"
)

func TestTheVersionIsOneOfARelease(t *testing.T) {
	globals, err := hcn.GetGlobals()
	check(t, err)
	releases := []hcn.Globals{{Version: hcn.Version{Major: 9, Minor: 5}}, {Version: hcn.Version{Major: 13, Minor: 3}}, {Version: hcn.Version{Major: 15, Minor: 4}}}
	if !slices.Contains(releases, *globals) {
		t.Errorf("got %v, want one of %v", *globals, releases)
	}
}

func contains(ranges hcn.VersionRanges, version hcn.Version) bool {
	before := func(a, b hcn.Version) bool { return a.Major < b.Major || a.Major == b.Major && a.Minor < b.Minor }
	return slices.ContainsFunc(ranges, func(r hcn.VersionRange) bool {
		return !before(version, r.MinVersion) && !before(r.MaxVersion, version)
	})
}

func TestEachFeatureIsThereFromItsVersionOn(t *testing.T) {
	for name, feature := range map[string]struct {
		supported func() error
		ranges    hcn.VersionRanges
		since     hcn.Version // the version from which on our releases have it
	}{
		"RemoteSubnet":             {hcn.RemoteSubnetSupported, hcn.RemoteSubnetVersion, hcn.Version{Major: 9, Minor: 5}},
		"HostRoute":                {hcn.HostRouteSupported, hcn.HostRouteVersion, hcn.Version{Major: 9, Minor: 5}},
		"DSR":                      {hcn.DSRSupported, hcn.DSRVersion, hcn.Version{Major: 9, Minor: 5}},
		"Slash32EndpointPrefixes":  {hcn.Slash32EndpointPrefixesSupported, hcn.Slash32EndpointPrefixesVersion, hcn.Version{Major: 9, Minor: 5}},
		"L4Proxy":                  {hcn.L4proxyPolicySupported, hcn.L4ProxyPolicyVersion, hcn.Version{Major: 9, Minor: 5}},
		"VxlanPort":                {hcn.VxlanPortSupported, hcn.VxlanPortVersion, hcn.Version{Major: 13, Minor: 3}},
		"AclSupportForProtocol252": {hcn.AclSupportForProtocol252Supported, hcn.AclSupportForProtocol252Version, hcn.Version{Major: 13, Minor: 3}},
		"IPv6DualStack":            {hcn.IPv6DualStackSupported, hcn.IPv6DualStackVersion, hcn.Version{Major: 13, Minor: 3}},
		"SessionAffinity":          {hcn.SessionAffinitySupported, hcn.SessionAffinityVersion, hcn.Version{Major: 13, Minor: 3}},
		"SetPolicy":                {hcn.SetPolicySupported, hcn.SetPolicyVersion, hcn.Version{Major: 13, Minor: 3}},
		"L4WfpProxy":               {hcn.L4WfpProxyPolicySupported, hcn.L4WfpProxyPolicyVersion, hcn.Version{Major: 13, Minor: 3}},
		"TierAcl":                  {hcn.TierAclPolicySupported, hcn.TierAclPolicyVersion, hcn.Version{Major: 15, Minor: 4}},
		"NetworkACL":               {hcn.NetworkACLPolicySupported, hcn.NetworkACLPolicyVersion, hcn.Version{Major: 15, Minor: 4}},
		"NestedIpSet":              {hcn.NestedIpSetSupported, hcn.NestedIpSetVersion, hcn.Version{Major: 15, Minor: 4}},
		"DisableHostPort":          {hcn.DisableHostPortSupported, hcn.DisableHostPortVersion, hcn.Version{Major: 15, Minor: 4}},
		"Accelnet":                 {hcn.AccelnetSupported, hcn.AccelnetVersion, hcn.Version{Major: 15, Minor: 4}},
		// hcsshim takes 15.4 for its first version, and 15.4 has it.
		"ModifyLoadbalancer": {hcn.ModifyLoadbalancerSupported, hcn.ModifyLoadbalancerVersion, hcn.Version{Major: 15, Minor: 5}},
	} {
		t.Run(name, func(t *testing.T) {
			features, err := hcn.GetCachedSupportedFeatures()
			check(t, err)
			want := since(feature.since.Major, feature.since.Minor)
			wantEqual(t, "in range", contains(feature.ranges, version), want)
			wantEqual(t, "in the list", reflect.ValueOf(features).FieldByName(name).Bool(), want)
			if err := feature.supported(); (err == nil) != want {
				t.Errorf("got error %v, want support %v", err, want)
			}
		})
	}
}

func TestEveryReleaseHasBothAPIsAndTheACLsOf1803(t *testing.T) {
	wantEqual(t, "1803", contains(hcn.HNSVersion1803, version), true)
	wantEqual(t, "v2", contains(hcn.V2ApiSupport, version), true)
	check(t, hcn.V2ApiSupported())
	features := hcn.GetSupportedFeatures()
	wantEqual(t, "APIs", features.Api, hcn.ApiSupport{V1: true, V2: true})
	wantEqual(t, "ACLs", features.Acl, hcn.AclFeatures{
		AclAddressLists: true, AclNoHostRulePriority: true, AclPortRanges: true, AclRuleId: true,
	})
}

func TestBothListsOfFeaturesAreOne(t *testing.T) {
	cached, err := hcn.GetCachedSupportedFeatures()
	check(t, err)
	wantEqual(t, "features", hcn.GetSupportedFeatures(), cached)
}

func TestDocumentsAreOfVersion2(t *testing.T) {
	wantEqual(t, "version", hcn.V2SchemaVersion(), hcn.SchemaVersion{Major: 2, Minor: 0})
	wantEqual(t, "of what HNS returns", natNetwork(t).SchemaVersion, hcn.V2SchemaVersion())
}

func TestAThreadIsPutIntoACompartment(t *testing.T) {
	// hnslib panics where the function is missing, and would end the other tests with this one.
	check(t, windows.NewLazySystemDLL("iphlpapi.dll").NewProc("SetCurrentThreadCompartmentId").Find())
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	check(t, hcn.SetCurrentThreadCompartmentId(1))
}
