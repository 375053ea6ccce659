// One run of ns-3.37 for tools/compare_ns3.py: TCP flows and sources of constant rate over one queue.
//
//     g++ -O2 -std=c++17 ns3_queues.cc -o ns3_queues -lns3-core .. (tools/compare_ns3.py knows the line)
//     ./ns3_queues --queue=codel --rate=10000000 --access=5,5 --starts=0.1,0.7 --duration=80 --warmup=20
//
//     source 0 --.                                   .-- sink 0
//     source 1 ---+-- left == the queue == right ---+--- sink 1        access links: 100 Mbit/s
//     sender 0 --'                                   '-- receiver 0    (of constant rate)
//
// Every attribute of ns-3 can be given as well: --ns3::CoDelQueueDisc::MinBytes=1501. Prints one JSON object; what is
// measured begins with the warm-up's end. A source of constant rate has no congestion control.

#include "ns3_rfc_codel.h"
#include "ns3_tcp.h"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t DATAGRAM = PACKET - 28;  // of data in it by UDP
const Time SAMPLE = MilliSeconds(10);       // between two looks at the queue

std::vector<double> Numbers(const std::string& text)
{
    std::vector<double> numbers;
    std::stringstream stream(text);
    std::string part;
    while (std::getline(stream, part, ','))
    {
        numbers.push_back(std::stod(part));
    }
    return numbers;
}

// A source of constant rate: each gap is the nominal one times 1 + U(-jitter, jitter).
class ConstantRate
{
  public:
    ConstantRate(Ptr<Node> node, Ipv4Address to, double rate, double jitter)
        : m_socket(Socket::CreateSocket(node, UdpSocketFactory::GetTypeId())),
          m_gap(PACKET * 8 / rate),
          m_jitter(jitter),
          m_draw(CreateObject<UniformRandomVariable>())
    {
        m_socket->Connect(InetSocketAddress(to, 9));
    }

    void Send()
    {
        m_socket->Send(Create<Packet>(DATAGRAM));
        Simulator::Schedule(Seconds(m_gap * (1 + m_draw->GetValue(-m_jitter, m_jitter))), &ConstantRate::Send, this);
    }

  private:
    Ptr<Socket> m_socket;
    double m_gap;
    double m_jitter;
    Ptr<UniformRandomVariable> m_draw;
};

// For how long on end a flow had a window of one segment.
struct Window
{
    Time since{Time::Max()};
    Time longest{0};

    void Change(uint32_t, uint32_t now)
    {
        Close();
        since = now <= SEGMENT ? Simulator::Now() : Time::Max();
    }

    void Close()
    {
        if (since != Time::Max())
        {
            longest = std::max(longest, Simulator::Now() - since);
        }
    }
};

struct Counts
{
    uint32_t arrived;
    uint32_t dropped;
    uint32_t marked;
    uint64_t sentBytes;
    uint32_t recoveries;
    uint32_t timeouts;
    std::vector<uint64_t> received;
};

Ptr<QueueDisc> queue;
Ptr<PointToPointNetDevice> device;
std::vector<Ptr<PacketSink>> sinks;
std::vector<uint32_t> samples;
uint64_t sentBytes = 0;
uint32_t recoveries = 0;
uint32_t timeouts = 0;
Counts before;

void CountState(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
{
    recoveries += now == TcpSocketState::CA_RECOVERY;
    timeouts += now == TcpSocketState::CA_LOSS;
}

void Watch(Ptr<BulkSendApplication> application, Window* window)
{
    auto socket = application->GetSocket();
    socket->TraceConnectWithoutContext("CongestionWindow", MakeCallback(&Window::Change, window));
    socket->TraceConnectWithoutContext("CongState", MakeCallback(&CountState));
}

void Look()
{
    samples.push_back(queue->GetNPackets() + device->GetQueue()->GetNPackets());
    Simulator::Schedule(SAMPLE, &Look);
}

Counts Count()
{
    const QueueDisc::Stats& stats = queue->GetStats();
    Counts counts{stats.nTotalReceivedPackets,
                  stats.nTotalDroppedPackets,
                  stats.nTotalMarkedPackets,
                  sentBytes,
                  recoveries,
                  timeouts,
                  {}};
    for (const auto& sink : sinks)
    {
        counts.received.push_back(sink->GetTotalRx());
    }
    return counts;
}

void Begin()
{
    before = Count();
    Look();
}

TrafficControlHelper Discipline(const std::string& kind, uint32_t limit)
{
    TrafficControlHelper helper;
    const QueueSizeValue size(QueueSize(QueueSizeUnit::PACKETS, limit));
    if (kind == "drop-tail")
    {
        helper.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", size);
    }
    else if (kind == "codel")
    {
        helper.SetRootQueueDisc("ns3::CoDelQueueDisc", "MaxSize", size);
    }
    else if (kind == "rfc-codel")
    {
        helper.SetRootQueueDisc("faircast::RfcCoDel", "MaxSize", size);
    }
    else if (kind == "fq-codel")
    {
        // So many values of the hash that no two flows share a queue.
        helper.SetRootQueueDisc("ns3::FqCoDelQueueDisc", "MaxSize", size, "Flows", UintegerValue(65536));
    }
    else if (kind == "pie")
    {
        helper.SetRootQueueDisc("ns3::PieQueueDisc", "MaxSize", size);
    }
    else
    {
        NS_FATAL_ERROR("queue: got " << kind << ", legal are drop-tail, codel, rfc-codel, fq-codel, pie");
    }
    return helper;
}

void Print(const char* name, const std::vector<double>& values)
{
    std::cout << "\"" << name << "\": [";
    for (size_t i = 0; i < values.size(); i++)
    {
        std::cout << (i ? ", " : "") << values[i];
    }
    std::cout << "], ";
}

} // namespace

int main(int argc, char* argv[])
{
    SetTcpDefaults();  // the command line has the last word

    std::string kind = "codel";
    std::string access;
    std::string starts;
    std::string constant;
    std::string constantStarts;
    double rate = 10e6;
    double delay = 5;
    double jitter = 0;
    double duration = 80;
    double warmup = 20;
    uint32_t limit = 1000;
    uint32_t seed = 1;
    bool held = true;
    CommandLine command;
    command.AddValue("queue", "drop-tail, codel, rfc-codel, fq-codel or pie", kind);
    command.AddValue("limit", "packets that may wait in the discipline", limit);
    command.AddValue("held", "whether a packet waits in the device", held);
    command.AddValue("rate", "of the queue's link, bit/s", rate);
    command.AddValue("delay", "of the queue's link, ms", delay);
    command.AddValue("access", "delay of the access link of each TCP flow, ms", access);
    command.AddValue("starts", "when each TCP flow starts, s", starts);
    command.AddValue("constant", "rates of sources of constant rate, bit/s", constant);
    command.AddValue("constantStarts", "when each of them starts, s", constantStarts);
    command.AddValue("jitter", "part of a gap by which their gaps vary", jitter);
    command.AddValue("duration", "of the run, s", duration);
    command.AddValue("warmup", "what is left out of it, s", warmup);
    command.AddValue("seed", "of what is drawn", seed);
    command.Parse(argc, argv);
    RngSeedManager::SetSeed(seed);

    const auto accessMs = Numbers(access);
    const auto startsS = Numbers(starts);
    const auto constantBps = Numbers(constant);
    const auto constantStartsS = Numbers(constantStarts);

    NodeContainer routers(2);
    NodeContainer senders(accessMs.size() + constantBps.size());
    NodeContainer receivers(senders.GetN());
    InternetStackHelper internet;
    internet.InstallAll();

    PointToPointHelper middle;
    // PPP makes packets longer; the rate is such that a packet takes as long as without.
    middle.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate / PACKET * FRAME + 0.5))));
    middle.SetChannelAttribute("Delay", TimeValue(Seconds(delay / 1000)));
    middle.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue(held ? "1p" : "2p"));
    const NetDeviceContainer link = middle.Install(routers);
    device = DynamicCast<PointToPointNetDevice>(link.Get(0));
    queue = Discipline(kind, limit).Install(link.Get(0)).Get(0);
    if (auto fair = DynamicCast<FqCoDelQueueDisc>(queue))
    {
        fair->SetQuantum(1514);
    }
    TrafficControlHelper back;
    back.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue("10000p"));
    back.Install(link.Get(1));
    if (!held)
    {
        HoldNone(device);
    }
    device->TraceConnectWithoutContext(
        "PhyTxEnd",
        Callback<void, Ptr<const Packet>>([](Ptr<const Packet> packet) { sentBytes += packet->GetSize(); }));

    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    addresses.Assign(link);
    std::vector<Ipv4Address> to;
    for (uint32_t i = 0; i < senders.GetN(); i++)
    {
        PointToPointHelper edge;
        edge.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
        edge.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("10000p"));
        edge.SetChannelAttribute("Delay", TimeValue(Seconds(i < accessMs.size() ? accessMs[i] / 1000 : 0.005)));
        const auto in = edge.Install(senders.Get(i), routers.Get(0));
        edge.SetChannelAttribute("Delay", TimeValue(MilliSeconds(5)));
        const auto out = edge.Install(routers.Get(1), receivers.Get(i));
        addresses.NewNetwork();
        addresses.Assign(in);
        addresses.NewNetwork();
        to.push_back(addresses.Assign(out).GetAddress(1));
        // What Assign has put there: FQ-CoDel.
        TrafficControlHelper().Uninstall(in);
        TrafficControlHelper().Uninstall(out);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    std::vector<Window> windows(accessMs.size());
    std::vector<ConstantRate> sources;
    for (uint32_t i = 0; i < senders.GetN(); i++)
    {
        const bool isTcp = i < accessMs.size();
        PacketSinkHelper sink(isTcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), 9));
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(receivers.Get(i)).Get(0)));
        if (!isTcp)
        {
            sources.emplace_back(senders.Get(i), to[i], constantBps[i - accessMs.size()], jitter);
            continue;
        }
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(to[i], 9));
        bulk.SetAttribute("SendSize", UintegerValue(SEGMENT));
        auto application = DynamicCast<BulkSendApplication>(bulk.Install(senders.Get(i)).Get(0));
        application->SetStartTime(Seconds(startsS[i]));
        Simulator::Schedule(Seconds(startsS[i]) + NanoSeconds(1), &Watch, application, &windows[i]);
    }
    for (size_t i = 0; i < sources.size(); i++)
    {
        Simulator::Schedule(Seconds(constantStartsS[i]), &ConstantRate::Send, &sources[i]);
    }

    Simulator::Schedule(Seconds(warmup), &Begin);
    Simulator::Stop(Seconds(duration));
    Simulator::Run();

    const Counts after = Count();
    const double measured = duration - warmup;
    std::vector<double> goodput;
    std::vector<double> alone;
    for (size_t i = 0; i < sinks.size(); i++)
    {
        // With headers, as faircast counts it.
        const double whole = static_cast<double>(PACKET) / (i < accessMs.size() ? SEGMENT : DATAGRAM);
        goodput.push_back((after.received[i] - before.received[i]) * whole * 8 / measured);
    }
    for (auto& window : windows)
    {
        window.Close();
        alone.push_back(window.longest.GetSeconds());
    }
    std::cout.precision(12);
    std::cout << "{";
    Print("goodput_bps", goodput);
    Print("one_segment_s", alone);
    Print("queue_pkts", std::vector<double>(samples.begin(), samples.end()));
    std::cout << "\"arrived_pkts\": " << after.arrived - before.arrived
              << ", \"dropped_pkts\": " << after.dropped - before.dropped
              << ", \"marked_pkts\": " << after.marked - before.marked
              << ", \"recoveries\": " << after.recoveries - before.recoveries
              << ", \"timeouts\": " << after.timeouts - before.timeouts << ", \"link_use\": "
              << (after.sentBytes - before.sentBytes) * 8 / measured / (rate / PACKET * FRAME) << "}\n";
    Simulator::Destroy();
    return 0;
}
