import CLinux
import Glibc

/// A failed system call.
public struct SystemError: ExplainedError, Hashable {
    public var code: String
    public var operation: String
    public var message: String
    public var hint: String
    /// The value of `errno`; 0 if there was none.
    public var number: Int32

    /// - Parameters:
    ///   - number: value of `errno`
    ///   - operation: the failed operation, such as `open /var/jaga/lock`
    ///   - hint: replaces the default hint of the number
    public init(_ number: Int32, _ operation: String, hint: String? = nil) {
        self.number = number
        self.operation = operation
        code = SystemError.code(for: number)
        message = String(cString: strerror(number))
        self.hint = hint ?? SystemError.hint(for: number)
    }

    private static func code(for number: Int32) -> String {
        switch number {
        case ENOSPC, EDQUOT: "disk-full"
        case EACCES, EPERM: "not-permitted"
        case EROFS: "read-only"
        case ENOENT: "not-found"
        case EADDRINUSE: "address-in-use"
        case EMFILE, ENFILE: "too-many-open-files"
        default: "errno-\(number)"
        }
    }

    private static func hint(for number: Int32) -> String {
        switch number {
        case ENOSPC, EDQUOT: "Free space on that file system."
        case EACCES, EPERM: "Make the user of this program the owner of that path."
        case EROFS: "Mount that file system writable, or choose another JAGA_HOME."
        case ENOENT: "Check the path."
        case EMFILE, ENFILE: "Raise the limit of open files (ulimit -n)."
        default: ""
        }
    }
}
