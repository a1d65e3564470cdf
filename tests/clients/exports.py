"""What the libraries export: microsoft/hcsshim hcn/hcn.go, internal/hns, internal/vmcompute; ComputeNetwork.h."""

_OBJECTS = {
    "Network": "Networks",
    "Endpoint": "Endpoints",
    "Namespace": "Namespaces",
    "LoadBalancer": "LoadBalancers",
    "SdnRoute": "SdnRoutes",
}

EXPORTS: dict[str, frozenset[str]] = {
    "computenetwork": frozenset(
        {f"Hcn{verb}{one}" for one in _OBJECTS for verb in ("Create", "Open", "Modify", "Delete", "Close")}
        | {f"HcnQuery{one}Properties" for one in _OBJECTS}
        | {f"HcnEnumerate{many}" for many in _OBJECTS.values()}
        | {
            "HcnRegisterServiceCallback",
            "HcnUnregisterServiceCallback",
            "HcnCreateGuestNetworkService",
            "HcnModifyGuestNetworkService",
            "HcnDeleteGuestNetworkService",
            "HcnCloseGuestNetworkService",
            "HcnRegisterGuestNetworkServiceCallback",
            "HcnUnregisterGuestNetworkServiceCallback",
            "HcnReserveGuestNetworkServicePort",
            "HcnReserveGuestNetworkServicePortRange",
            "HcnReleaseGuestNetworkServicePortReservationHandle",
            "HcnEnumerateGuestNetworkPortReservations",
            "HcnFreeGuestNetworkPortReservations",
            "HcnQueryEndpointStats",
            "HcnQueryEndpointAddresses",
        }
    ),
    "vmcompute": frozenset(
        {
            "HNSCall",
            "HcsEnumerateComputeSystems",
            "HcsCreateComputeSystem",
            "HcsOpenComputeSystem",
            "HcsCloseComputeSystem",
            "HcsStartComputeSystem",
            "HcsShutdownComputeSystem",
            "HcsTerminateComputeSystem",
            "HcsPauseComputeSystem",
            "HcsResumeComputeSystem",
            "HcsGetComputeSystemProperties",
            "HcsModifyComputeSystem",
            "HcsModifyServiceSettings",
            "HcsRegisterComputeSystemCallback",
            "HcsUnregisterComputeSystemCallback",
            "HcsSaveComputeSystem",
            "HcsCreateProcess",
            "HcsOpenProcess",
            "HcsCloseProcess",
            "HcsTerminateProcess",
            "HcsSignalProcess",
            "HcsGetProcessInfo",
            "HcsGetProcessProperties",
            "HcsModifyProcess",
            "HcsGetServiceProperties",
            "HcsRegisterProcessCallback",
            "HcsUnregisterProcessCallback",
        }
    ),
}
