// CoDel from the pseudo code of RFC 8289, section 5, as a discipline of ns-3: what ns-3's own does otherwise can be
// switched on, one thing after the other.

#ifndef NS3_RFC_CODEL_H
#define NS3_RFC_CODEL_H

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"

#include <cmath>

namespace faircast
{

using namespace ns3;

class RfcCoDel : public QueueDisc
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("faircast::RfcCoDel")
                .SetParent<QueueDisc>()
                .AddConstructor<RfcCoDel>()
                .AddAttribute("MaxSize",
                              "Packets that may wait",
                              QueueSizeValue(QueueSize("1000p")),
                              MakeQueueSizeAccessor(&QueueDisc::SetMaxSize, &QueueDisc::GetMaxSize),
                              MakeQueueSizeChecker())
                .AddAttribute("LeavesMtu",
                              "Drop if as much as an MTU is left, not only if more is",
                              BooleanValue(false),
                              MakeBooleanAccessor(&RfcCoDel::m_leavesMtu),
                              MakeBooleanChecker())
                .AddAttribute("Newton",
                              "One step of Newton's method for each count in place of the root",
                              BooleanValue(false),
                              MakeBooleanAccessor(&RfcCoDel::m_newton),
                              MakeBooleanChecker())
                .AddAttribute("UseEcn",
                              "Mark packets that can be marked, where others are dropped",
                              BooleanValue(false),
                              MakeBooleanAccessor(&RfcCoDel::m_usesEcn),
                              MakeBooleanChecker())
                .AddAttribute("CountsFromMark",
                              "After a mark the time to the next runs from it, not from when it was due",
                              BooleanValue(false),
                              MakeBooleanAccessor(&RfcCoDel::m_countsFromMark),
                              MakeBooleanChecker());
        return tid;
    }

    RfcCoDel()
        : QueueDisc(QueueDiscSizePolicy::SINGLE_INTERNAL_QUEUE)
    {
    }

  private:
    struct Result
    {
        Ptr<QueueDiscItem> packet;
        bool okToDrop;
    };

    bool DoEnqueue(Ptr<QueueDiscItem> item) override
    {
        if (GetCurrentSize() + item > GetMaxSize())
        {
            DropBeforeEnqueue(item, "full");
            return false;
        }
        return GetInternalQueue(0)->Enqueue(item);
    }

    // Section 5.5.
    Ptr<QueueDiscItem> DoDequeue() override
    {
        const int64_t now = Simulator::Now().GetNanoSeconds();
        Result r = Take(now);
        if (m_dropping)
        {
            m_dropping = r.okToDrop;
            while (m_dropping && now >= m_dropNext)
            {
                Count(m_count + 1);
                if (IsMarked(r.packet))
                {
                    m_dropNext = Next(m_countsFromMark ? now : m_dropNext);
                    break;
                }
                DropAfterDequeue(r.packet, "late");
                r = Take(now);
                m_dropping = r.okToDrop;
                if (m_dropping)
                {
                    m_dropNext = Next(m_dropNext);
                }
            }
        }
        else if (r.okToDrop)
        {
            if (!IsMarked(r.packet))
            {
                DropAfterDequeue(r.packet, "late");
                r = Take(now);
            }
            m_dropping = true;
            const int64_t delta = m_count - m_lastCount;
            const bool isRecent = now - m_dropNext < 16 * INTERVAL;
            Count(delta > 1 && isRecent ? delta : 1);
            m_lastCount = m_count;
            m_dropNext = Next(now);
        }
        return r.packet;
    }

    bool IsMarked(const Ptr<QueueDiscItem>& packet)
    {
        return m_usesEcn && Mark(packet, "late");
    }

    // Section 5.6.
    Result Take(int64_t now)
    {
        Ptr<QueueDiscItem> packet = GetInternalQueue(0)->Dequeue();
        if (!packet)
        {
            m_firstAbove = 0;
            return {packet, false};
        }
        const int64_t sojourn = now - packet->GetTimeStamp().GetNanoSeconds();
        const uint32_t left = GetInternalQueue(0)->GetNBytes();
        if (sojourn < TARGET || left < MTU || (left == MTU && !m_leavesMtu))
        {
            m_firstAbove = 0;
            return {packet, false};
        }
        if (m_firstAbove == 0)
        {
            m_firstAbove = now + INTERVAL;
            return {packet, false};
        }
        return {packet, now >= m_firstAbove};
    }

    void Count(int64_t count)
    {
        m_count = count;
        m_inverse = !m_newton || count == 1 ? 1 / std::sqrt(count) : m_inverse * (3 - count * m_inverse * m_inverse) / 2;
    }

    // The control law.
    int64_t Next(int64_t at) const
    {
        return at + std::llround(INTERVAL * m_inverse);
    }

    bool CheckConfig() override
    {
        if (GetNInternalQueues() == 0)
        {
            AddInternalQueue(CreateObjectWithAttributes<DropTailQueue<QueueDiscItem>>("MaxSize",
                                                                                      QueueSizeValue(GetMaxSize())));
        }
        return GetNInternalQueues() == 1;
    }

    void InitializeParams() override
    {
    }

    static constexpr int64_t TARGET = 5'000'000;      // ns
    static constexpr int64_t INTERVAL = 100'000'000;  // ns
    static constexpr uint32_t MTU = 1500;

    bool m_leavesMtu{false};
    bool m_newton{false};
    bool m_usesEcn{false};
    bool m_countsFromMark{false};
    int64_t m_firstAbove{0};
    int64_t m_dropNext{0};
    int64_t m_count{0};
    int64_t m_lastCount{0};
    double m_inverse{1.0};
    bool m_dropping{false};
};

NS_OBJECT_ENSURE_REGISTERED(RfcCoDel);

} // namespace faircast

#endif
