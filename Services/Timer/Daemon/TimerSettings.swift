import Hosting
import Runtime
import TimerCore

/// Settings of the timer.
enum TimerSettings {
    static let grace = "JAGA_TIMER_GRACE_SECONDS"
    static let reminder = "JAGA_TIMER_REMINDER_SECONDS"
    static let undelivered = "JAGA_TIMER_UNDELIVERED_SECONDS"
    static let alarmURL = "JAGA_TIMER_ALARM_URL"
    static let retention = "JAGA_TIMER_RETENTION_MINUTES"
    static let timeZones = "JAGA_TIMER_ZONEINFO"

    static let all = [
        Setting(
            grace, .integer(1...3600), default: "120", unit: "seconds",
            help: "Time from a watch's deadline until it becomes an emergency."),
        Setting(
            reminder, .integer(1...3600), default: "300", unit: "seconds",
            help: "Reminder before a watch's deadline, "
                + "or a tenth of the watch if that is shorter."),
        Setting(
            undelivered, .integer(5...600), default: "15", unit: "seconds",
            help: "Operator alarm if no message is accepted this long after a countdown."
        ),
        Setting(
            alarmURL, .url(["https", "http"]),
            help: "Called by POST when nobody was notified of an emergency in time."),
        Setting(
            retention, .integer(1...1440), default: "60", unit: "minutes",
            help: "Interval at which all services delete expired data."),
        Setting(
            timeZones, .path, default: TimeZoneFolder.systemPath,
            help: "Folder of time zones, for check-in schedules."),
    ]
}

extension TimerCore.Settings {
    init(_ configuration: Configuration) {
        self.init(
            graceSeconds: configuration.int(TimerSettings.grace),
            reminderSeconds: configuration.int(TimerSettings.reminder),
            undeliveredSeconds: configuration.int(TimerSettings.undelivered),
            callsAlarm: configuration.optional(TimerSettings.alarmURL) != nil)
    }
}
