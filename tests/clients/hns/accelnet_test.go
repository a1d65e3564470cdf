package hns_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/Microsoft/hcsshim"
	"golang.org/x/sys/windows"
)

var twoMACs = []string{"00-15-5D-0A-B7-C6", "00-15-5D-38-01-00"}

// HNS has accelerated networking since 15.4, which is Server 2025.
func accelnet() bool {
	return since(15, 4)
}

func wantMACs(t *testing.T, list *hcsshim.HNSNnvManagementMacList, err error, want ...string) {
	t.Helper()
	check(t, err)
	var got []string
	for _, entry := range list.MacAddressList {
		got = append(got, entry.MacAddress)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got MACs %v, want %v", got, want)
	}
}

func TestManagementMACsAreSetAndDeleted(t *testing.T) {
	if !accelnet() {
		_, err := hcsshim.SetNnvManagementMacAddresses(twoMACs)
		wantCode(t, err, windows.Errno(windows.HCN_E_REQUEST_UNSUPPORTED))
		_, err = hcsshim.GetNnvManagementMacAddresses()
		wantText(t, err, "The specified request is unsupported.")
		_, err = hcsshim.DeleteNnvManagementMacAddresses()
		wantText(t, err, "The specified request is unsupported.")
		return
	}
	list, err := hcsshim.SetNnvManagementMacAddresses(twoMACs)
	wantMACs(t, list, err, twoMACs...)
	list, err = hcsshim.GetNnvManagementMacAddresses()
	wantMACs(t, list, err, twoMACs...)
	list, err = hcsshim.DeleteNnvManagementMacAddresses()
	wantMACs(t, list, err)
	list, err = hcsshim.GetNnvManagementMacAddresses()
	wantMACs(t, list, err)
}

func TestAListOfMACsTakesThePlaceOfTheOneBefore(t *testing.T) {
	if !accelnet() {
		_, err := (&hcsshim.HNSNnvManagementMacList{}).Set()
		wantCode(t, err, windows.Errno(windows.HCN_E_REQUEST_UNSUPPORTED))
		return
	}
	t.Cleanup(func() { _, _ = hcsshim.DeleteNnvManagementMacAddresses() })
	_, err := hcsshim.SetNnvManagementMacAddresses(twoMACs)
	check(t, err)
	one := &hcsshim.HNSNnvManagementMacList{
		MacAddressList: []hcsshim.HNSNnvManagementMacAddress{{MacAddress: "00-15-5D-00-00-01"}},
	}
	list, err := one.Set()
	wantMACs(t, list, err, "00-15-5D-00-00-01")
}

func TestWhatIsNoMACIsRefused(t *testing.T) {
	_, err := hcsshim.SetNnvManagementMacAddresses([]string{"one and two"})
	if accelnet() {
		wantCode(t, err, windows.ERROR_INVALID_PARAMETER)
	} else {
		wantCode(t, err, windows.Errno(windows.HCN_E_REQUEST_UNSUPPORTED))
	}
}

func TestNoMACsAreNotSent(t *testing.T) {
	if _, err := hcsshim.SetNnvManagementMacAddresses(nil); !errors.Is(err, hcsshim.ErrorEmptyMacAddressList) {
		t.Errorf("got error %v", err)
	}
}
