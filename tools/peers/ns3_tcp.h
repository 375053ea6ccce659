// What ns-3's side of all comparisons has in common: TCP as faircast has it too, and a link that holds no packet back.

#ifndef FAIRCAST_NS3_TCP_H
#define FAIRCAST_NS3_TCP_H

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <algorithm>

using namespace ns3;

constexpr uint32_t PACKET = 1500;           // bytes with the headers of IP and of TCP or UDP
constexpr uint32_t SEGMENT = PACKET - 40;   // bytes of data in it, by TCP
constexpr uint32_t FRAME = PACKET + 2;      // what PPP makes of it

// TcpNewReno with four things mended, each of which can be taken back: it halves the flight, and not what is in the
// pipe, without what has been SACKed or is lost (RFC 6675, section 5, step (4.2)); of a window, whole segments are in
// flight; it grows by fractions of bytes, which ns-3 cuts off; and the ACK that ends a recovery does not let it grow
// (RFC 6582, section 3.2, step 3: the window is the threshold then).
class HalvingNewReno : public TcpNewReno
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("faircast::HalvingNewReno")
                                .SetParent<TcpNewReno>()
                                .AddConstructor<HalvingNewReno>()
                                .AddAttribute("HalvesFlight",
                                              "Halve what is sent and not acknowledged, not the pipe",
                                              BooleanValue(true),
                                              MakeBooleanAccessor(&HalvingNewReno::m_halvesFlight),
                                              MakeBooleanChecker())
                                .AddAttribute("WholeSegments",
                                              "Count whole segments of the flight: of a window they go out",
                                              BooleanValue(true),
                                              MakeBooleanAccessor(&HalvingNewReno::m_wholeSegments),
                                              MakeBooleanChecker())
                                .AddAttribute("KeepsFractions",
                                              "Grow by fractions of bytes",
                                              BooleanValue(true),
                                              MakeBooleanAccessor(&HalvingNewReno::m_keepsFractions),
                                              MakeBooleanChecker())
                                .AddAttribute("EndsAtThreshold",
                                              "Do not grow by the ACK that ends a recovery",
                                              BooleanValue(true),
                                              MakeBooleanAccessor(&HalvingNewReno::m_endsAtThreshold),
                                              MakeBooleanChecker());
        return tid;
    }

    std::string GetName() const override
    {
        return "HalvingNewReno";
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<HalvingNewReno>(this);
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> state, uint32_t pipe) override
    {
        // What limited transmit has sent beyond the window does not count (RFC 5681, section 3.2, step 2).
        const uint32_t sent = state->m_highTxMark.Get() - state->m_lastAckedSeq;
        const uint32_t part = m_wholeSegments ? state->m_cWnd.Get() % state->m_segmentSize : 0;
        const uint32_t flight = std::min(sent, state->m_cWnd.Get() - part);
        return std::max(2 * state->m_segmentSize, (m_halvesFlight ? flight : pipe) / 2);
    }

    void CwndEvent(Ptr<TcpSocketState> state, const TcpSocketState::TcpCAEvent_t event) override
    {
        // TcpSocketBase says so just before it calls IncreaseWindow.
        m_ends = event == TcpSocketState::CA_EVENT_COMPLETE_CWR && state->m_congState == TcpSocketState::CA_RECOVERY;
    }

    void IncreaseWindow(Ptr<TcpSocketState> state, uint32_t segments) override
    {
        if (!m_ends || !m_endsAtThreshold)
        {
            TcpNewReno::IncreaseWindow(state, segments);
        }
        m_ends = false;
    }

  protected:
    void CongestionAvoidance(Ptr<TcpSocketState> state, uint32_t segments) override
    {
        if (!m_keepsFractions)
        {
            TcpNewReno::CongestionAvoidance(state, segments);
            return;
        }
        if (segments > 0)
        {
            m_fraction += static_cast<double>(state->m_segmentSize) * state->m_segmentSize / state->m_cWnd.Get();
            const auto whole = static_cast<uint32_t>(m_fraction);
            m_fraction -= whole;
            state->m_cWnd += whole;
        }
    }

  private:
    bool m_halvesFlight{true};
    bool m_wholeSegments{false};
    bool m_keepsFractions{true};
    bool m_endsAtThreshold{true};
    bool m_ends{false};
    double m_fraction{0.0};
};

NS_OBJECT_ENSURE_REGISTERED(HalvingNewReno);

// The device takes a packet only when it can send it at once. As ns-3 has it, one more waits in the device.
inline void HoldNone(Ptr<PointToPointNetDevice> device)
{
    auto interface = device->GetObject<NetDeviceQueueInterface>();
    auto stop = [interface](Ptr<const Packet>) { interface->GetTxQueue(0)->Stop(); };
    auto wake = [interface](Ptr<const Packet>) {
        Simulator::ScheduleNow(&NetDeviceQueue::Wake, PeekPointer(interface->GetTxQueue(0)));
    };
    device->TraceConnectWithoutContext("PhyTxBegin", Callback<void, Ptr<const Packet>>(stop));
    device->TraceConnectWithoutContext("PhyTxEnd", Callback<void, Ptr<const Packet>>(wake));
}

// What is alike on both sides.
inline void SetTcpDefaults()
{
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 22));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 22));
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(1000000));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(HalvingNewReno::GetTypeId()));
}

#endif
