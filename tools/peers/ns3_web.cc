// The transfers of a file in ns-3.37, for tools/compare_web.py: each a TCP connection of its own, over a dumbbell.
//
//     ./ns3_web FILE SECONDS
//
// FILE has a line for each transfer: its arrival in seconds, its segments, the pair of hosts, 0 or 1. Bottleneck 10
// Mbit/s, 20 ms, drop-tail, where 100 packets wait beside the one on the wire; access links 100 Mbit/s and 1 ms. Prints
// for each transfer that has been acknowledged as a whole its number in the file, from 0, and how long that took from
// its SYN on.

#include "ns3_tcp.h"

#include "ns3/applications-module.h"
#include "ns3/traffic-control-module.h"

#include <fstream>
#include <iostream>
#include <memory>
#include <vector>

namespace
{

constexpr double RATE = 10e6;
constexpr uint16_t PORT = 9;

// One transfer: connects, sends, and says when the last byte has been acknowledged.
class Transfer
{
  public:
    Transfer(uint32_t index, Ptr<Node> from, Ipv4Address to, uint32_t bytes)
        : m_index(index),
          m_from(from),
          m_to(to),
          m_bytes(bytes)
    {
    }

    void Begin()
    {
        m_began = Simulator::Now();
        m_socket = Socket::CreateSocket(m_from, TcpSocketFactory::GetTypeId());
        m_socket->Bind();
        m_socket->SetConnectCallback(MakeCallback(&Transfer::Connected, this), MakeNullCallback<void, Ptr<Socket>>());
        m_socket->TraceConnectWithoutContext("HighestRxAck", MakeCallback(&Transfer::Acknowledged, this));
        m_socket->Connect(InetSocketAddress(m_to, PORT));
    }

  private:
    void Connected(Ptr<Socket> socket)
    {
        NS_ABORT_MSG_IF(socket->Send(Create<Packet>(m_bytes)) != static_cast<int>(m_bytes), "no room in the buffer");
    }

    // A SYN takes one number before the data.
    void Acknowledged(SequenceNumber32, SequenceNumber32 now)
    {
        if (!m_done && now.GetValue() >= 1 + m_bytes)
        {
            m_done = true;
            std::cout << m_index << " " << (Simulator::Now() - m_began).GetSeconds() << "\n";
        }
    }

    uint32_t m_index;
    Ptr<Node> m_from;
    Ipv4Address m_to;
    uint32_t m_bytes;
    Ptr<Socket> m_socket;
    Time m_began;
    bool m_done{false};
};

// Two nodes with a link of 100 Mbit/s and 1 ms, on which nothing waits for long; the address of the second.
Ipv4Address Access(Ptr<Node> one, Ptr<Node> other, Ipv4AddressHelper& addresses)
{
    PointToPointHelper edge;
    edge.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    edge.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("10000p"));
    edge.SetChannelAttribute("Delay", TimeValue(MilliSeconds(1)));
    const auto link = edge.Install(one, other);
    addresses.NewNetwork();
    const auto to = addresses.Assign(link).GetAddress(1);
    TrafficControlHelper().Uninstall(link);  // what Assign has put there
    return to;
}

} // namespace

int main(int argc, char* argv[])
{
    SetTcpDefaults();
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    // RFC 6298, section 2, before a round trip has been measured; ns-3 waits 3 s for the answer to a SYN.
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(1)));
    NS_ABORT_MSG_IF(argc != 3, "a file and how many seconds are wanted");
    std::ifstream file(argv[1]);

    NodeContainer routers(2);
    NodeContainer left(2);
    NodeContainer right(2);
    InternetStackHelper internet;
    internet.InstallAll();

    PointToPointHelper middle;
    // PPP makes packets longer; the rate is such that a packet takes as long as without.
    middle.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(RATE / PACKET * FRAME + 0.5))));
    middle.SetChannelAttribute("Delay", TimeValue(MilliSeconds(20)));
    middle.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("2p"));
    const NetDeviceContainer link = middle.Install(routers);
    for (uint32_t end = 0; end < 2; end++)
    {
        TrafficControlHelper discipline;
        discipline.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue("100p"));
        discipline.Install(link.Get(end));
        HoldNone(DynamicCast<PointToPointNetDevice>(link.Get(end)));
    }
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    addresses.Assign(link);
    std::vector<Ipv4Address> to;
    for (uint32_t pair = 0; pair < 2; pair++)
    {
        Access(left.Get(pair), routers.Get(0), addresses);
        to.push_back(Access(routers.Get(1), right.Get(pair), addresses));
        PacketSinkHelper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT))
            .Install(right.Get(pair));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    std::cout.precision(12);
    std::vector<std::unique_ptr<Transfer>> transfers;
    double at;
    uint32_t segments;
    uint32_t pair;
    while (file >> at >> segments >> pair)
    {
        const auto index = static_cast<uint32_t>(transfers.size());
        transfers.push_back(std::make_unique<Transfer>(index, left.Get(pair), to[pair], segments * SEGMENT));
        Simulator::Schedule(Seconds(at), &Transfer::Begin, transfers.back().get());
    }
    Simulator::Stop(Seconds(std::stod(argv[2])));
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
