import CLinux
import Glibc

extension Metrics {
    /// Updates the standard `process_…` metrics.
    public func readProcess() {
        let start = gauge(
            "process_start_time_seconds", "Start of this process, seconds since 1970.")
        let resident = gauge("process_resident_memory_bytes", "Memory in RAM.")
        let files = gauge("process_open_fds", "Open file descriptors.")
        let processor = counter("process_cpu_seconds_total", "User and system time used.")
        start.set(ProcessMetrics.startSeconds)
        if let bytes = ProcessMetrics.residentBytes() { resident.set(bytes) }
        if let count = ProcessMetrics.openFiles() { files.set(count) }
        processor.set(ProcessMetrics.processorSeconds())
    }
}

/// Process information from the kernel.
enum ProcessMetrics {
    /// Start of the process, or of the first call if unknown, seconds since 1970.
    static let startSeconds: Double = {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        var uptime = timespec()
        clock_gettime(CLOCK_BOOTTIME, &uptime)
        let now = Double(wall.tv_sec) + Double(wall.tv_nsec) / 1e9
        guard let ticks = startTicks() else { return now }
        let boot = now - Double(uptime.tv_sec) - Double(uptime.tv_nsec) / 1e9
        return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }()

    /// Ticks from boot to start: field 22 of `/proc/self/stat`, after the name in brackets.
    private static func startTicks() -> Double? {
        guard let bytes = try? Files.read("/proc/self/stat"),
            let bracket = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = bytes[(bracket + 1)...].split(separator: UInt8(ascii: " "))
        return fields.count > 19 ? Double(String(decoding: fields[19], as: UTF8.self)) : nil
    }

    static func residentBytes() -> Double? {
        guard let bytes = try? Files.read("/proc/self/statm") else { return nil }
        let fields = bytes.split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Double(String(decoding: fields[1], as: UTF8.self))
        else { return nil }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    static func openFiles() -> Double? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0.0
        while readdir(folder) != nil { count += 1 }
        // The descriptor of the folder itself, `.` and `..` are listed too.
        return count - 3
    }

    static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
