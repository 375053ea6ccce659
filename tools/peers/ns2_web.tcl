# Web traffic in ns-2.35: the transfers of a file, each a one-way NewReno flow of its own, over a dumbbell.
#
#     ns tools/peers/ns2_web.tcl FILE SECONDS
#
# FILE has a line for each transfer: its arrival in seconds, its segments, the pair of hosts, 0 or 1. Bottleneck 10 Mb/s,
# 20 ms, drop-tail of 100 packets; access links 100 Mb/s and 1 ms; segments of 1000 bytes and 40 of headers. Prints for
# each transfer that has been acknowledged as a whole its number in the file, from 0, and how long that took.

Agent/TCP set packetSize_ 1000
Agent/TCP set useHeaders_ true
Agent/TCP set tcpip_base_hdr_size_ 40
Agent/TCP set window_ 100000
# No exchange before data: otherwise segment 0 is a SYN.
Agent/TCP set syn_ false
Agent/TCP set delay_growth_ false
Agent/TCP set overhead_ 0
Agent/TCP set minrto_ 1.0
Agent/TCP set tcpTick_ 0.01
Agent/TCP set singledup_ 1
Agent/TCPSink set packetSize_ 40

# Called when all that there was to send has been acknowledged.
Agent/TCP instproc done {} {
    global ns began number
    puts "$number($self) [format %.9f [expr {[$ns now] - $began($self)}]]"
}

proc arrive {index segments pair} {
    global ns began number left right
    set tcp [new Agent/TCP/Newreno]
    set sink [new Agent/TCPSink]
    $ns attach-agent $left($pair) $tcp
    $ns attach-agent $right($pair) $sink
    $ns connect $tcp $sink
    set began($tcp) [$ns now]
    set number($tcp) $index
    # A new agent has 1, whatever windowInit_ is.
    $tcp set cwnd_ 2
    $tcp advance $segments
}

proc next {} {
    global ns file index
    if {[gets $file line] < 0} { return }
    foreach {at segments pair} $line break
    $ns at $at "arrive $index $segments $pair; next"
    incr index
}

remove-all-packet-headers
add-packet-header IP TCP Flags
set ns [new Simulator]
set near [$ns node]
set far [$ns node]
$ns duplex-link $near $far 10Mb 20ms DropTail
foreach {a b} [list $near $far $far $near] { $ns queue-limit $a $b 100 }
foreach pair {0 1} {
    set left($pair) [$ns node]
    set right($pair) [$ns node]
    foreach {a b} [list $left($pair) $near $far $right($pair)] {
        $ns duplex-link $a $b 100Mb 1ms DropTail
        $ns queue-limit $a $b 1000
        $ns queue-limit $b $a 1000
    }
}
set file [open [lindex $argv 0]]
set index 0
next
$ns at [lindex $argv 1] "exit 0"
$ns run
