import Glibc

/// Standard input, output and error: 0 to 2.
public enum StandardDescriptors {
    /// Leads those that the process was started without to nowhere, before anything is opened:
    /// whatever gets one of their numbers, a store or a client's connection, would be given the
    /// lines that are meant for nobody, here and in what is started.
    public static func fill() {
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
