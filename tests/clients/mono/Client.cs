// A .NET program that calls HNS as it would on Windows; it prints what it saw, a line each, as "name: value".
using System;
using System.Runtime.InteropServices;
using System.Threading;

static class Client
{
    delegate void Notify(uint number, IntPtr context, int status, [MarshalAs(UnmanagedType.LPWStr)] string data);

    [DllImport("computenetwork.dll", CharSet = CharSet.Unicode)]
    static extern int HcnEnumerateNetworks(string query, [MarshalAs(UnmanagedType.LPWStr)] out string ids,
                                           [MarshalAs(UnmanagedType.LPWStr)] out string record);

    [DllImport("computenetwork.dll", CharSet = CharSet.Unicode)]
    static extern int HcnCreateNetwork([In] ref Guid id, string settings, out IntPtr network,
                                       [MarshalAs(UnmanagedType.LPWStr)] out string record);

    [DllImport("computenetwork.dll", CharSet = CharSet.Unicode)]
    static extern int HcnOpenNetwork([In] ref Guid id, out IntPtr network,
                                     [MarshalAs(UnmanagedType.LPWStr)] out string record);

    [DllImport("computenetwork.dll", CharSet = CharSet.Unicode)]
    static extern int HcnQueryNetworkProperties(IntPtr network, string query,
                                                [MarshalAs(UnmanagedType.LPWStr)] out string properties,
                                                [MarshalAs(UnmanagedType.LPWStr)] out string record);

    [DllImport("computenetwork.dll", CharSet = CharSet.Unicode)]
    static extern int HcnDeleteNetwork([In] ref Guid id, [MarshalAs(UnmanagedType.LPWStr)] out string record);

    [DllImport("computenetwork.dll")]
    static extern int HcnCloseNetwork(IntPtr network);

    [DllImport("computenetwork.dll")]
    static extern int HcnRegisterServiceCallback(Notify callback, IntPtr context, out IntPtr registration);

    [DllImport("computenetwork.dll")]
    static extern int HcnUnregisterServiceCallback(IntPtr registration);

    [DllImport("vmcompute.dll", CharSet = CharSet.Unicode)]
    static extern int HNSCall(string method, string path, string request,
                              [MarshalAs(UnmanagedType.LPWStr)] out string response);

    static void Say(string name, object value)
    {
        Console.WriteLine("{0}: {1}", name, value);
    }

    static int Main(string[] arguments)
    {
        var id = new Guid(arguments[0]);
        string settings = arguments[1], said, record;
        IntPtr registration, network;
        var heard = new CountdownEvent(2);
        Notify callback = (number, context, status, data) => {
            lock (heard)
            {
                Say("heard", number);
                if (!heard.IsSet)
                    heard.Signal();
            }
        };
        Say("register", HcnRegisterServiceCallback(callback, IntPtr.Zero, out registration));
        Say("create", HcnCreateNetwork(ref id, settings, out network, out record));
        Say("query", HcnQueryNetworkProperties(network, "{\"SchemaVersion\":{\"Major\":2,\"Minor\":0}}", out said,
                                               out record));
        Say("properties", said);
        Say("enumerate", HcnEnumerateNetworks(null, out said, out record));
        Say("ids", said);
        Say("v1", HNSCall("GET", "/networks/" + id, null, out said));
        Say("response", said);
        Say("close", HcnCloseNetwork(network));
        Say("closed", HcnCloseNetwork(network));
        if (!heard.Wait(TimeSpan.FromSeconds(10)))
            return 1;
        Say("unregister", HcnUnregisterServiceCallback(registration));
        Say("delete", HcnDeleteNetwork(ref id, out record));
        Say("gone", HcnOpenNetwork(ref id, out network, out record));
        Say("record", record);
        GC.KeepAlive(callback);
        return 0;
    }
}
