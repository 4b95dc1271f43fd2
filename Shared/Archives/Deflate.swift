import CZlib
import Model

/// Compresses one entry incrementally.
final class Deflate {
    private var stream = z_stream()

    init() {
        let result = czlib_deflate_raw(&stream)
        invariant(result == Z_OK, "zlib can allocate its state")
    }

    deinit { deflateEnd(&stream) }

    /// Compresses a piece and appends the output that is ready.
    ///
    /// - Parameter isLast: whether this is the last piece
    func compress(_ bytes: [UInt8], isLast: Bool, into compressed: inout [UInt8]) {
        var input = bytes
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let capacity = buffer.count
        input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            buffer.withUnsafeMutableBufferPointer { target in
                repeat {
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(capacity)
                    let result = deflate(&stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    invariant(result != Z_STREAM_ERROR, "the zlib stream is consistent")
                    compressed += target[..<(capacity - Int(stream.avail_out))]
                } while stream.avail_out == 0
            }
        }
    }

    /// Continues ZIP's checksum with further bytes.
    static func crc32(_ bytes: [UInt8], after before: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBufferPointer { source in
            UInt32(
                truncatingIfNeeded: CZlib.crc32(
                    UInt(before), source.baseAddress, UInt32(source.count)))
        }
    }
}
