# The reference loads of `faircast bench` in ns-2.35: N one-way NewReno flows over a dumbbell.
#
#     ns tools/peers/ns2_tcp_dumbbell.tcl L1|L2 [sample]
#
# Prints one JSON object: packet-hops, CPU seconds by phase, and what the flows achieved, so that one can see that both
# simulators do the same work. With `sample`, the congestion windows are read every 100 ms and their mean is
# printed as well; that costs a little time, so speed is measured without.
#
# Packet-hops (a packet leaving a link) are computed from counters that the agents keep anyway, because
# a monitor at every link would slow ns-2 down:
#     every data packet that is sent   leaves its access link                              1 hop
#     every one that is not dropped    leaves the bottleneck and the receiver's link       2 hops
#     and is acknowledged by a packet that crosses the same three links                    3 hops
# Whatever is under way when time is up counts as if it had arrived. This errs in favour of ns-2, by less than
# six hops for each packet in `in_flight_pkts`. Drops are counted where the queues throw packets away, which
# costs something for a dropped packet only.

set phase_start {}

proc main {load sample} {
    global phase_start
    set phase_start [cpu_seconds]
    set setting [load_named $load]
    use_only_the_headers_needed
    set_tcp_parameters
    set network [build $setting]
    measure $network $setting $sample
}

# Flows, bottleneck rate, seconds. All else is common: access 1 Gb/s and 1 ms on each side, bottleneck 20 ms.
proc load_named {load} {
    switch -- $load {
        L1 { return {flows 10  rate 100Mb  bit_per_s 1e8 seconds 60} }
        L2 { return {flows 100 rate 1000Mb bit_per_s 1e9 seconds 10} }
    }
    puts stderr "load: got \"$load\", legal are L1 and L2"
    exit 2
}

# TCP reads and writes the Flags header (ECN), whether or not it is used.
proc use_only_the_headers_needed {} {
    remove-all-packet-headers
    add-packet-header IP TCP Flags
}

# 960 bytes and 40 of headers make 1000 on the wire; the window never binds; RTO not below 1 s (RFC 6298, rule 2.4);
# no random overhead. Limited transmit is ns-2's default. TCPSink acknowledges every packet with one of 40 bytes.
proc set_tcp_parameters {} {
    Agent/TCP set packetSize_ 960
    Agent/TCP set useHeaders_ true
    Agent/TCP set tcpip_base_hdr_size_ 40
    Agent/TCP set window_ 100000
    Agent/TCP set overhead_ 0
    Agent/TCP set minrto_ 1.0
    Agent/TCP set singledup_ 1
    Agent/TCPSink set packetSize_ 40
}

# Returns {ns SIMULATOR senders LIST bottleneck_drops MONITOR other_drops MONITOR}.
proc build {setting} {
    array set load $setting
    set ns [new Simulator]
    set left [$ns node]
    set right [$ns node]
    link_both_ways $ns $left $right $load(rate) 20ms 1000
    set senders {}
    set edges {}
    for {set i 0} {$i < $load(flows)} {incr i} {
        set source [$ns node]
        set sink [$ns node]
        # Access queues hold more than all windows together, so that only the bottleneck drops.
        link_both_ways $ns $source $left 1000Mb 1ms 1000000
        link_both_ways $ns $right $sink 1000Mb 1ms 1000000
        lappend edges $source $left $right $sink
        lappend senders [connect_flow $ns $source $sink]
    }
    set bottleneck_drops [count_drops $ns [list $left $right]]
    set other_drops [count_drops $ns [concat [list $right $left] $edges [lreverse $edges]]]
    return [list ns $ns senders $senders bottleneck_drops $bottleneck_drops other_drops $other_drops]
}

proc link_both_ways {ns a b rate delay limit} {
    $ns duplex-link $a $b $rate $delay DropTail
    $ns queue-limit $a $b $limit
    $ns queue-limit $b $a $limit
}

# A sender that always has data, from time 0 on.
proc connect_flow {ns source sink} {
    set sender [new Agent/TCP/Newreno]
    set receiver [new Agent/TCPSink]
    $ns attach-agent $source $sender
    $ns attach-agent $sink $receiver
    $ns connect $sender $receiver
    set ftp [new Application/FTP]
    $ftp attach-agent $sender
    $ns at 0.0 "$ftp start"
    return $sender
}

# A monitor whose pdrops_ counts what the queues from each first to each second node of `pairs` drop. It sees
# dropped packets only.
proc count_drops {ns pairs} {
    set monitor [new QueueMonitor]
    set snoop [new SnoopQueue/Drop]
    $snoop set-monitor $monitor
    $snoop target [$ns set nullAgent_]
    foreach {from to} $pairs {
        [[$ns link $from $to] queue] drop-target $snoop
    }
    return $monitor
}

# `$ns run` computes the routes before the first event, so the event loop is timed from an event at time 0.
proc measure {network setting sample} {
    array set net $network
    array set load $setting
    $net(ns) at 0.0 {set loop_start [cpu_seconds]}
    if {$sample} {
        $net(ns) at 0.1 [list sample_windows $network 0.1]
    }
    $net(ns) at $load(seconds) [list finish $network $setting]
    $net(ns) run
}

proc sample_windows {network interval} {
    global cwnd_sum cwnd_samples
    array set net $network
    foreach sender $net(senders) {
        set cwnd_sum [expr {[info exists cwnd_sum] ? $cwnd_sum + [$sender set cwnd_] : [$sender set cwnd_]}]
        incr cwnd_samples
    }
    $net(ns) at [expr {[$net(ns) now] + $interval}] [list sample_windows $network $interval]
}

proc finish {network setting} {
    global phase_start loop_start cwnd_sum cwnd_samples
    set now [cpu_seconds]
    array set net $network
    array set load $setting
    set sent 0
    set acked_upto 0
    set acks 0
    set retransmitted 0
    set timeouts 0
    set largest 0
    foreach sender $net(senders) {
        incr sent [$sender set ndatapack_]
        incr retransmitted [$sender set nrexmitpack_]
        incr timeouts [$sender set nrexmit_]
        set flow_acks [$sender set nackpack_]
        incr acks $flow_acks
        set largest [expr {max($largest, $flow_acks)}]
        # ack_ is the highest segment acknowledged, counted from 0.
        incr acked_upto [expr {[$sender set ack_] + 1}]
    }
    set drops [expr {int([$net(bottleneck_drops) set pdrops_])}]
    set other_drops [expr {int([$net(other_drops) set pdrops_])}]
    if {$other_drops != 0} {
        puts stderr "an access queue dropped $other_drops packets: the packet-hops would be wrong"
        exit 3
    }
    set hops [expr {$sent + 5 * ($sent - $drops)}]
    set mean_cwnd [expr {[info exists cwnd_samples] ? $cwnd_sum / $cwnd_samples : "null"}]
    print_json [list \
        packet_hops $hops \
        setup_cpu_s [difference $loop_start $phase_start] \
        loop_cpu_s [difference $now $loop_start] \
        sent_pkts $sent \
        retransmitted_pkts $retransmitted \
        dropped_pkts $drops \
        timeouts $timeouts \
        in_flight_pkts [expr {$sent - $drops - $acks}] \
        goodput_bps [expr {$acked_upto * 8000.0 / $load(seconds)}] \
        utilisation [expr {($sent - $drops) * 8000.0 / $load(seconds) / $load(bit_per_s)}] \
        largest_flow_share [format %.4f [expr {double($largest) / $acks}]] \
        mean_cwnd_pkts $mean_cwnd]
    exit 0
}

proc difference {later earlier} {
    return [format %.4f [expr {$later - $earlier}]]
}

proc print_json {pairs} {
    set members {}
    foreach {key value} $pairs {
        lappend members "\"$key\": $value"
    }
    puts "{[join $members {, }]}"
}

# CPU seconds of this process so far. Linux gives them to the nanosecond, user and system together (the system's part
# is page faults while memory grows); user seconds alone come from the parent process, which sees the whole run.
proc cpu_seconds {} {
    set file [open /proc/self/schedstat]
    set nanoseconds [lindex [read $file] 0]
    close $file
    return [expr {$nanoseconds * 1e-9}]
}

main [lindex $argv 0] [expr {[lindex $argv 1] eq "sample"}]
