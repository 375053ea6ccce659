# The multicast loads of `faircast bench` in ns-2.35: one source of constant rate, many receivers.
#
#     ns tools/peers/ns2_multicast.tcl M1|M2
#
# M1: a star of 1000 receivers. M2: a binary tree with 1024 leaves, a receiver on each. 10 Mb/s in packets of 1000
# bytes for 10 s; all links 100 Mb/s, that of the source 1 ms, the others 5 ms. Prints one JSON object.
#
# Packet-hops (a packet leaving a link) are computed from what the agents count anyway: every packet of the source
# leaves its link, and every link of the tree once on its way to a receiver. In the tree a packet that has come to all
# 1024 leaves has left 2 + 4 + .. + 1024 = 2046 links below the root.
#
# Multicast is ns-2's dense mode (DM), which floods first and prunes; here every leaf has a member, so nothing is pruned
# after the joins. Receivers are Agent/Null, the cheapest sink: what they get is not counted, but nothing is lost on links
# that are a tenth full, so it is known.


proc cpu_seconds {} {
    set file [open /proc/self/schedstat]
    gets $file line
    close $file
    return [expr {[lindex $line 0] / 1e9}]
}

proc main {load} {
    set begin [cpu_seconds]
    switch -- $load {
        M1 { set receivers 1000 }
        M2 { set receivers 1024 }
        default { puts stderr "load: got \"$load\", legal are M1 and M2"; exit 2 }
    }
    remove-all-packet-headers
    add-packet-header IP mcastCtrl rtProtoDV CBR RTP
    set ns [new Simulator -multicast on]
    set source [$ns node]
    set root [$ns node]
    $ns duplex-link $source $root 100Mb 1ms DropTail
    if {$load eq "M1"} {
        set leaves {}
        for {set i 0} {$i < $receivers} {incr i} {
            set leaf [$ns node]
            $ns duplex-link $root $leaf 100Mb 5ms DropTail
            lappend leaves $leaf
        }
        set links_below $receivers
    } else {
        set leaves [list $root]
        set links_below 0
        while {[llength $leaves] < $receivers} {
            set below {}
            foreach node $leaves {
                foreach side {0 1} {
                    set next [$ns node]
                    $ns duplex-link $node $next 100Mb 5ms DropTail
                    lappend below $next
                    incr links_below
                }
            }
            set leaves $below
        }
    }
    $ns mrtproto DM
    set group [Node allocaddr]
    set udp [new Agent/UDP]
    $ns attach-agent $source $udp
    $udp set dst_addr_ $group
    $udp set dst_port_ 0
    $udp set packetSize_ 1000
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ 1000
    $cbr set rate_ 10Mb
    $cbr attach-agent $udp
    foreach leaf $leaves {
        set null [new Agent/Null]
        $ns attach-agent $leaf $null
        $ns at 0.0 "$leaf join-group $null $group"
    }
    $ns at 0.0 "$cbr start"
    $ns at 10.0 "finish $begin $links_below"
    set ::loop_start 0
    $ns at 0.0 "set ::loop_start \[cpu_seconds\]"
    $ns run
}

proc finish {begin links_below} {
    set end [cpu_seconds]
    # 1250 packets a second for 10 s.
    set packets 12500
    set hops [expr {$packets * (1 + $links_below)}]
    puts [format {{"packet_hops": %d, "setup_cpu_s": %.3f, "loop_cpu_s": %.3f}} $hops \
        [expr {$::loop_start - $begin}] [expr {$end - $::loop_start}]]
    exit 0
}

main [lindex $argv 0]
