package hns_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/Microsoft/hcsshim"
	"golang.org/x/sys/windows"
)

func TestTheVersionIsOneOfARelease(t *testing.T) {
	globals, err := hcsshim.GetHNSGlobals()
	check(t, err)
	releases := []hcsshim.HNSGlobals{
		{Version: hcsshim.HNSVersion{Major: 9, Minor: 5}},
		{Version: hcsshim.HNSVersion{Major: 13, Minor: 3}},
		{Version: hcsshim.HNSVersion{Major: 15, Minor: 4}},
	}
	if !slices.Contains(releases, *globals) {
		t.Errorf("got %v, want one of %v", *globals, releases)
	}
}

func TestEveryReleaseHasTheACLsOf1803(t *testing.T) {
	if !since(hcsshim.HNSVersion1803.Major, hcsshim.HNSVersion1803.Minor) {
		t.Errorf("%v is older than %v", version, hcsshim.HNSVersion1803)
	}
	wantEqual(t, "features", hcsshim.GetHNSSupportedFeatures(), hcsshim.HNSSupportedFeatures{
		Acl: hcsshim.HNSAclFeatures{
			AclAddressLists: true, AclNoHostRulePriority: true, AclPortRanges: true, AclRuleId: true,
		},
	})
}

func TestAThreadIsPutIntoACompartment(t *testing.T) {
	// hcsshim panics where the function is missing, and would end the other tests with this one.
	check(t, windows.NewLazySystemDLL("iphlpapi.dll").NewProc("SetCurrentThreadCompartmentId").Find())
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	check(t, hcsshim.SetCurrentThreadCompartmentId(1))
}
