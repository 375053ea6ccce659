# The scenarios of x-ns2 in ns-2.35; the other half is ns2.py beside this file.
#
#     ns ns2.tcl loss Reno|Newreno|Sack1 SEED         one flow, 1 % loss, round trip 100 ms
#     ns ns2.tcl red OVERHEAD SEED                    ten flows over a RED queue; what hosts add to each sending, s
#     ns ns2.tcl trips DropTail|RED SEED              two flows with round trips of 40 and 80 ms
#
# Prints one number: the goodput after the warm-up in bit/s, the mean queue in packets, the ratio of the goodputs.
# Goodput counts what has been acknowledged.

set payload_bits 8000.0

proc main {arguments} {
    set seed [lindex $arguments end]
    global defaultRNG
    $defaultRNG seed $seed
    set_parameters
    switch -- [lindex $arguments 0] {
        loss { lossy_path [lindex $arguments 1] }
        red { red_queue [lindex $arguments 1] }
        trips { two_round_trips [lindex $arguments 1] }
    }
}

# Packets of 1000 B in all: ns-2.35 would add 40 B of headers. No bound on the window; what is not set here is ns-2.35's
# default: initial window 2, least time-out 0.2 s, clock tick 10 ms, limited transmit.
proc set_parameters {} {
    Agent/TCP set packetSize_ 1000
    Agent/TCP set useHeaders_ false
    Agent/TCP set window_ 100000
    Queue/RED set bytes_ false
    Queue/RED set queue_in_bytes_ false
    Queue/RED set mean_pktsize_ 1000
    Queue/RED set q_weight_ 0.002
    Queue/RED set thresh_ 10
    Queue/RED set maxthresh_ 30
    Queue/RED set linterm_ 10
    Queue/RED set gentle_ true
    Queue/RED set adaptive_ 0
}

proc flow {ns variant source destination overhead_s} {
    set sender [new Agent/TCP/$variant]
    set receiver [expr {$variant eq "Sack1" ? [new Agent/TCPSink/Sack1] : [new Agent/TCPSink]}]
    $sender set overhead_ $overhead_s
    $ns attach-agent $source $sender
    $ns attach-agent $destination $receiver
    $ns connect $sender $receiver
    set ftp [new Application/FTP]
    $ftp attach-agent $sender
    $ns at [uniform 0 1] "$ftp start"
    return $sender
}

proc uniform {from to} {
    set variable [new RandomVariable/Uniform]
    $variable set min_ $from
    $variable set max_ $to
    return [$variable value]
}

proc duplex {ns a b rate delay limit kind} {
    $ns duplex-link $a $b $rate $delay $kind
    $ns queue-limit $a $b $limit
    $ns queue-limit $b $a $limit
}

proc acked {sender} {
    return [expr {[$sender set ack_] + 1}]
}

proc lossy_path {variant} {
    global payload_bits
    set ns [new Simulator]
    set a [$ns node]
    set b [$ns node]
    duplex $ns $a $b 1000Mb 49.994ms 100000 DropTail
    set losses [new ErrorModel]
    $losses unit pkt
    $losses set rate_ 0.01
    $losses ranvar [new RandomVariable/Uniform]
    $losses drop-target [new Agent/Null]
    $ns lossmodel $losses $a $b
    set sender [flow $ns $variant $a $b 0]
    $ns at 20.0 "set ::before \[acked $sender\]"
    $ns at 300.0 "puts \[expr {(\[acked $sender\] - \$::before) * $payload_bits / 280.0}\]; exit 0"
    $ns run
}

proc red_queue {overhead_s} {
    set ns [new Simulator]
    set left [$ns node]
    set right [$ns node]
    duplex $ns $left $right 10Mb 20ms 100 RED
    for {set i 0} {$i < 10} {incr i} {
        set source [$ns node]
        set destination [$ns node]
        duplex $ns $source $left 100Mb 5ms 10000 DropTail
        duplex $ns $right $destination 100Mb 5ms 10000 DropTail
        flow $ns Newreno $source $destination $overhead_s
    }
    set monitor [$ns monitor-queue $left $right "" 0.1]
    set integral [$monitor get-pkts-integrator]
    $ns at 20.0 "set ::before \[area $ns $monitor $integral\]"
    $ns at 79.0 "check_size $monitor"
    $ns at 80.0 "puts \[expr {(\[area $ns $monitor $integral\] - \$::before) / 60.0}\]; exit 0"
    $ns run
}

# Both sides must send packets of one size, for the queue of larger ones is another one. ns-2's first packet of a flow is
# a SYN of 40 B.
proc check_size {monitor} {
    set size [expr {double([$monitor set barrivals_]) / [$monitor set parrivals_]}]
    if {round($size) != 1000} {
        error "packets of $size B, not 1000 B"
    }
}

# Packets times seconds until now.
proc area {ns monitor integral} {
    $integral newpoint [$ns now] [$monitor set pkts_]
    return [$integral set sum_]
}

proc two_round_trips {kind} {
    set ns [new Simulator]
    set left [$ns node]
    set right [$ns node]
    duplex $ns $left $right 5Mb 10ms [expr {$kind eq "RED" ? 60 : 20}] $kind
    set senders {}
    foreach delay {5ms 25ms} {
        set source [$ns node]
        set destination [$ns node]
        duplex $ns $source $left 100Mb $delay 10000 DropTail
        duplex $ns $right $destination 100Mb 5ms 10000 DropTail
        lappend senders [flow $ns Newreno $source $destination 0.0016]
    }
    lassign $senders near far
    $ns at 20.0 "set ::near \[acked $near\]; set ::far \[acked $far\]"
    $ns at 220.0 "puts \[expr {double(\[acked $near\] - \$::near) / (\[acked $far\] - \$::far)}\]; exit 0"
    $ns run
}

main $argv
