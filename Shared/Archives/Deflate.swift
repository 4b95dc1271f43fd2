import CZlib
import Model

/// Compresses one entry, piece by piece.
final class Deflate {
    private var stream = z_stream()

    init() {
        let result = czlib_deflate_raw(&stream)
        invariant(result == Z_OK, "zlib gets its memory")
    }

    deinit { deflateEnd(&stream) }

    /// Takes a piece, and appends what has become of it so far.
    ///
    /// - Parameter isLast: nothing follows
    func take(_ bytes: [UInt8], isLast: Bool, into compressed: inout [UInt8]) {
        var input = bytes
        var room = [UInt8](repeating: 0, count: 64 << 10)
        let capacity = room.count
        input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            room.withUnsafeMutableBufferPointer { target in
                repeat {
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(capacity)
                    let result = deflate(&stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    invariant(result != Z_STREAM_ERROR, "the stream of zlib is whole")
                    compressed += target[..<(capacity - Int(stream.avail_out))]
                } while stream.avail_out == 0
            }
        }
    }

    /// The checksum of ZIP, going on from that of what came before.
    static func crc32(_ bytes: [UInt8], after before: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBufferPointer { source in
            UInt32(
                truncatingIfNeeded: CZlib.crc32(
                    UInt(before), source.baseAddress, UInt32(source.count)))
        }
    }
}
