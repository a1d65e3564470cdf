package hcn_test

import (
	"slices"
	"testing"

	"github.com/Microsoft/hcsshim/hcn"
)

var (
	ws2019 = hcn.Version{Major: 9, Minor: 5}
	ws2022 = hcn.Version{Major: 13, Minor: 3}
	ws2025 = hcn.Version{Major: 15, Minor: 4}

	releases = []hcn.Version{ws2019, ws2022, ws2025}
)

// in tells whether a version is in one of the ranges, whose minor numbers count only at their ends.
func in(ranges hcn.VersionRanges, version hcn.Version) bool {
	notAfter := func(one, other hcn.Version) bool {
		return one.Major < other.Major || one.Major == other.Major && one.Minor <= other.Minor
	}
	return slices.ContainsFunc(ranges, func(r hcn.VersionRange) bool {
		return notAfter(r.MinVersion, version) && notAfter(version, r.MaxVersion)
	})
}

type feature struct {
	name      string
	ranges    hcn.VersionRanges
	shown     bool
	supported func() error
	first     hcn.Version
}

func features(t *testing.T) []feature {
	t.Helper()
	shown := must(hcn.GetCachedSupportedFeatures())(t)
	return []feature{
		{"V2", hcn.V2ApiSupport, shown.Api.V2, hcn.V2ApiSupported, ws2019},
		{"RemoteSubnet", hcn.RemoteSubnetVersion, shown.RemoteSubnet, hcn.RemoteSubnetSupported, ws2019},
		{"HostRoute", hcn.HostRouteVersion, shown.HostRoute, hcn.HostRouteSupported, ws2019},
		{"DSR", hcn.DSRVersion, shown.DSR, hcn.DSRSupported, ws2019},
		{"Slash32EndpointPrefixes", hcn.Slash32EndpointPrefixesVersion, shown.Slash32EndpointPrefixes,
			hcn.Slash32EndpointPrefixesSupported, ws2019},
		{"L4Proxy", hcn.L4ProxyPolicyVersion, shown.L4Proxy, hcn.L4proxyPolicySupported, ws2019},
		{"AclSupportForProtocol252", hcn.AclSupportForProtocol252Version, shown.AclSupportForProtocol252,
			hcn.AclSupportForProtocol252Supported, ws2022},
		{"SessionAffinity", hcn.SessionAffinityVersion, shown.SessionAffinity, hcn.SessionAffinitySupported, ws2022},
		{"IPv6DualStack", hcn.IPv6DualStackVersion, shown.IPv6DualStack, hcn.IPv6DualStackSupported, ws2022},
		{"SetPolicy", hcn.SetPolicyVersion, shown.SetPolicy, hcn.SetPolicySupported, ws2022},
		{"VxlanPort", hcn.VxlanPortVersion, shown.VxlanPort, hcn.VxlanPortSupported, ws2022},
		{"L4WfpProxy", hcn.L4WfpProxyPolicyVersion, shown.L4WfpProxy, hcn.L4WfpProxyPolicySupported, ws2022},
		{"TierAcl", hcn.TierAclPolicyVersion, shown.TierAcl, hcn.TierAclPolicySupported, ws2025},
		{"NetworkACL", hcn.NetworkACLPolicyVersion, shown.NetworkACL, hcn.NetworkACLPolicySupported, ws2025},
		{"NestedIpSet", hcn.NestedIpSetVersion, shown.NestedIpSet, hcn.NestedIpSetSupported, ws2025},
		{"DisableHostPort", hcn.DisableHostPortVersion, shown.DisableHostPort, hcn.DisableHostPortSupported, ws2025},
		{"ModifyLoadbalancer", hcn.ModifyLoadbalancerVersion, shown.ModifyLoadbalancer,
			hcn.ModifyLoadbalancerSupported, ws2025},
		{"Accelnet", hcn.AccelnetVersion, shown.Accelnet, hcn.AccelnetSupported, ws2025},
	}
}

func TestTheVersionIsThatOfARelease(t *testing.T) {
	version := must(hcn.GetGlobals())(t).Version
	if !slices.Contains(releases, version) {
		t.Fatalf("got %+v, want one of %+v", version, releases)
	}
}

func TestTheSchemaIsOfVersion2(t *testing.T) {
	wantEqual(t, hcn.V2SchemaVersion(), hcn.SchemaVersion{Major: 2})
}

func TestFeaturesFollowTheVersion(t *testing.T) {
	version := must(hcn.GetGlobals())(t).Version
	for _, feature := range features(t) {
		t.Run(feature.name, func(t *testing.T) {
			wantEqual(t, feature.shown, in(feature.ranges, version))
			wantEqual(t, feature.shown, slices.Index(releases, version) >= slices.Index(releases, feature.first))
		})
	}
}

func TestAFeatureThatIsMissingIsAnError(t *testing.T) {
	for _, feature := range features(t) {
		t.Run(feature.name, func(t *testing.T) {
			err := feature.supported()
			if feature.shown {
				check(t, err)
				return
			}
			wantText(t, err, "platform does not support feature")
		})
	}
}

func TestEveryReleaseHasRulesAndV1(t *testing.T) {
	shown := must(hcn.GetCachedSupportedFeatures())(t)
	wantEqual(t, shown.Acl, hcn.AclFeatures{
		AclAddressLists: true, AclNoHostRulePriority: true, AclPortRanges: true, AclRuleId: true,
	})
	wantEqual(t, shown.Api, hcn.ApiSupport{V1: true, V2: true})
}

func TestBothWaysToAskForFeaturesAgree(t *testing.T) {
	wantEqual(t, hcn.GetSupportedFeatures(), must(hcn.GetCachedSupportedFeatures())(t))
}

func TestAFeatureOfSeveralRangesHasGaps(t *testing.T) {
	for name, row := range map[string]struct {
		ranges  hcn.VersionRanges
		with    []hcn.Version
		without []hcn.Version
	}{
		"rules": {
			ranges:  hcn.HNSVersion1803,
			with:    []hcn.Version{{Major: 7, Minor: 2}, {Major: 7, Minor: 3}, {Major: 8}, {Major: 255}},
			without: []hcn.Version{{}, {Major: 7}, {Major: 7, Minor: 1}},
		},
		"prefixes of one address": {
			ranges: hcn.Slash32EndpointPrefixesVersion,
			with: []hcn.Version{
				{Major: 9, Minor: 3}, {Major: 9, Minor: 372}, {Major: 10, Minor: 4}, {Major: 10, Minor: 410}, {Major: 11},
				{Major: 255, Minor: 2},
			},
			without: []hcn.Version{
				{Major: 8}, {Major: 8, Minor: 5}, {Major: 9}, {Major: 9, Minor: 2}, {Major: 10}, {Major: 10, Minor: 3},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, version := range row.with {
				if !in(row.ranges, version) {
					t.Errorf("%+v should have it", version)
				}
			}
			for _, version := range row.without {
				if in(row.ranges, version) {
					t.Errorf("%+v should not have it", version)
				}
			}
		})
	}
}
