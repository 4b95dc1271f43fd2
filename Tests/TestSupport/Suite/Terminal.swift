import Glibc

/// A pseudo-terminal that is read only on request.
public final class Terminal {
    /// The end for programs; writes block while it is full, as on terminals.
    public let descriptor: Int32
    /// The path of that end.
    public let path: String
    private let screen: Int32

    public init() throws {
        var screen: Int32 = -1
        var descriptor: Int32 = -1
        var name = [CChar](repeating: 0, count: 64)
        guard openpty(&screen, &descriptor, &name, nil, nil) == 0 else {
            throw TestFailure("there is no terminal")
        }
        self.screen = screen
        self.descriptor = descriptor
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        _ = fcntl(screen, F_SETFL, O_RDWR | O_NONBLOCK)
    }

    deinit {
        close(descriptor)
        close(screen)
    }

    /// Stops it like Ctrl-S.
    public func stop() { tcflow(descriptor, TCOOFF) }

    /// Continues it like Ctrl-Q.
    public func goOn() { tcflow(descriptor, TCOON) }

    /// The output since the last call, with plain line ends, without waiting.
    public func take() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(screen, &chunk, chunk.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count].filter { $0 != 0x0D }
        }
    }
}
