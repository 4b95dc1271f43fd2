import Glibc

/// Standard input, output and error: 0 to 2.
public enum StandardDescriptors {
    /// Opens missing standard descriptors on /dev/null. Call it before opening anything: a store or
    /// connection that got one of their numbers would receive output of this process and its
    /// children.
    public static func openMissing() {
        while true {
            let descriptor = open("/dev/null", O_RDWR)
            guard descriptor > STDERR_FILENO else {
                if descriptor < 0 { return }
                continue
            }
            close(descriptor)
            return
        }
    }
}
