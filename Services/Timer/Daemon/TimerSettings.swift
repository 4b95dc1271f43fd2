import Hosting
import Runtime
import TimerCore

/// What the operator can choose about the timer.
enum TimerSettings {
    static let grace = "JAGA_TIMER_GRACE_SECONDS"
    static let reminder = "JAGA_TIMER_REMINDER_SECONDS"
    static let undelivered = "JAGA_TIMER_UNDELIVERED_SECONDS"
    static let alarmURL = "JAGA_TIMER_ALARM_URL"
    static let retention = "JAGA_TIMER_RETENTION_MINUTES"

    static let all = [
        Setting(
            grace, .integer(1...3600), default: "120", unit: "seconds",
            help: "Wait after a watch's deadline before it becomes an emergency."),
        Setting(
            reminder, .integer(1...3600), default: "300", unit: "seconds",
            help: "Reminder before a watch's deadline; a tenth of the watch where that is less."),
        Setting(
            undelivered, .integer(5...600), default: "15", unit: "seconds",
            help: "Alarm when no delivery is accepted so long after an emergency's countdown."),
        Setting(
            alarmURL, .url(["https", "http"]),
            help: "Called by POST when nobody could be told of an emergency."),
        Setting(
            retention, .integer(1...1440), default: "60", unit: "minutes",
            help: "All services look so often for what they have kept long enough."),
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
