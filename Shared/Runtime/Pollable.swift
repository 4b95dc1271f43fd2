import CZeroMQ

/// Something that the loop of a service waits for.
public protocol Pollable: AnyObject {
    /// Adds the descriptors or sockets to wait for.
    func appendPollItems(to items: inout [zmq_pollitem_t])
    /// How long the loop may wait at most: nil = no opinion, 0 = not at all.
    var waitMilliseconds: Int? { get }
}
