import Model

struct MalayPhrases: Phrasebook {
    func trigger(_ trigger: EmergencyTrigger) -> String {
        switch trigger {
        case .panic: "butang panik"
        case .shake: "telefon digoncang"
        case .fall: "terjatuh"
        case .crash: "kemalangan"
        case .noMotion: "tiada pergerakan"
        case .watchExpired: "pemantauan tamat tanpa jawapan"
        case .lostContact: "hubungan terputus"
        case .sms: "melalui SMS"
        }
    }

    func ago(days: Int64, hours: Int64, minutes: Int64) -> String {
        if days > 0 { return "\(days) hari \(hours) jam lalu" }
        return hours > 0 ? "\(hours) jam \(minutes) minit lalu" : "\(minutes) minit lalu"
    }

    func repetition(_ repetition: Repetition) -> String? {
        switch repetition {
        case .first: nil
        case .unanswered: "BELUM ADA JAWAPAN"
        case .pressedAgain: "DITEKAN LAGI"
        case .another: "PENGGERA LAIN"
        case .record: "Baru diketahui sekarang"
        }
    }

    func certainty(metres: Int?, taken: String) -> String {
        metres.map { "dalam \($0) m, \(taken)" } ?? "ketepatan tidak diketahui, \(taken)"
    }

    func late(due: String, until: String) -> String {
        "Sepatutnya pada \(due), pelayan kami tidak berfungsi hingga \(until)"
    }
    var noPosition: String { "Kedudukan tidak diketahui" }
    var positionNotShared: String { "Kedudukan tidak dikongsi" }
    func inZone(_ zone: String, at: String) -> String { "Di \(zone), \(at)" }
    func position(_ coordinates: String) -> String { "Kedudukan \(coordinates)" }
    func battery(_ percent: UInt8) -> String { "Bateri \(percent)%" }
    func note(_ note: String) -> String { "Nota: \(note)" }
    func takeIt(reference: String) -> String { "Ambil tugas dalam Jaga, ruj \(reference)" }
    func takeItByReply(reference: String) -> String { "Atau balas OK \(reference)" }
    func reference(_ reference: String) -> String { "Ruj \(reference)" }
    func because(circle: String) -> String { "Anda dimaklumkan sebagai ahli \(circle)" }

    func zone(_ what: ZoneSaying, who: String, zone: String, at: String) -> String {
        let sentence =
            switch what {
            case .entered: "\(who) tiba di \(zone)"
            case .left: "\(who) keluar dari \(zone)"
            case .near: "\(who) berada dekat \(zone)"
            case .stays: "\(who) masih berada di \(zone)"
            case .staysUnseen(let minutes):
                "\(who) masih berada di \(zone) menurut kedudukan terakhir, \(minutes) minit lalu"
            case .passedThrough: "\(who) melalui \(zone)"
            case .alertEntered: "AMARAN \(who) memasuki \(zone)"
            case .alertNear: "AMARAN \(who) berada dekat \(zone)"
            case .alertInside: "AMARAN \(who) berada di \(zone)"
            case .alertLeft: "Tamat: \(who) keluar dari \(zone)"
            case .alertOver: "Tamat: penggera \(zone) untuk \(who)"
            }
        return "\(sentence), \(at)"
    }

    func absent(who: String, zone: String, by: String) -> String {
        "\(who) tiada di \(zone) pada \(by)"
    }

    func noContact(who: String, zone: String, by: String, since: String?) -> String {
        "\(who): tiada hubungan\(since.map { " sejak \($0)" } ?? "") (\(zone), \(by))"
    }

    func ownAlarm(zone: String, near: Bool, at: String) -> String {
        "AMARAN: anda berada \(near ? "dekat" : "di") \(zone), \(at)"
    }

    func taken(who: String, by: String?) -> String {
        "\(by ?? "Operator") telah mengambil tugas kecemasan \(who)"
    }

    func takenElsewhere(who: String, by: String?) -> String {
        "\(by ?? "Operator") dari kumpulan lain menangani kecemasan \(who)."
            + " Kumpulan anda ditanya sehingga seorang menjawab"
    }

    func cancelled(who: String) -> String { "Kecemasan tamat: dibatalkan oleh \(who)" }

    func resolved(who: String, by: String?) -> String {
        "Kecemasan \(who) tamat: diselesaikan oleh \(by ?? "operator")"
    }

    func endedElsewhere(who: String, by: String?, circles: String) -> String {
        "\(by ?? "Operator") menamatkan kecemasan \(who) untuk \(circles)."
            + " Bagi anda ia diteruskan"
    }

    func ownEnded(by: String?, circles: String?) -> String {
        "\(by ?? "Operator") menamatkan kecemasan anda\(circles.map { " untuk \($0)" } ?? "")."
            + " Betul?"
    }

    func ownEndedAnswer(goesOn: Bool) -> [String] {
        guard goesOn else { return ["Jika anda masih perlukan bantuan, panggil semula"] }
        return [
            "Jika betul, sahkan dalam Jaga",
            "Sehingga itu kumpulan anda yang lain diteruskan",
        ]
    }

    func holderAsked(who: String, minutes: Int64) -> String {
        "Masih membantu \(who)? Sahkan dalam Jaga dalam masa \(minutes) minit,"
            + " jika tidak yang lain dimaklumkan semula"
    }

    func ownTaken(by: String?) -> String {
        "\(by ?? "Operator") telah mengambil tugas kecemasan anda"
    }

    func ownNobodyYet(number: String) -> String {
        "Belum ada sesiapa dihubungi, kami terus mencuba. Jika boleh, hubungi \(number)"
    }

    func watchReminder(deadline: String) -> String {
        "Adakah anda selamat? Pemantauan anda tamat pada \(deadline): tamatkan atau lanjutkan"
            + " dalam Jaga, jika tidak kumpulan anda dimaklumkan"
    }

    func fired(_ transition: Transition, zones: String) -> String {
        switch transition {
        case .enter: zones
        case .exit: "keluar dari \(zones)"
        case .approach: "dekat \(zones)"
        case .dwell: "masih di \(zones)"
        case .cross: "melalui \(zones)"
        case .absent: "tiada di \(zones)"
        }
    }

    func allRight(since: String, alarmed: String?) -> String {
        "Adakah anda selamat? Telefon anda senyap sejak \(since): sahkan di Jaga"
            + (alarmed.map { ", jika tidak kumpulan anda dimaklumkan pada \($0)" } ?? "")
    }

    var allRightByReply: String { "Atau balas OK" }

    func contactLost(who: String, since: String) -> String {
        "Tiada hubungan dengan \(who) sejak \(since), dan tiada jawapan"
    }

    func contactRestored(who: String) -> String { "Hubungan dengan \(who) pulih" }
    func ownBattery(_ percent: UInt8) -> String { "Bateri telefon anda tinggal \(percent)%" }

    func ownBlind(_ cause: String) -> String { "Telefon anda mungkin senyap: \(cause)" }

    func blind(who: String, _ cause: String) -> String {
        "Telefon \(who) mungkin senyap: \(cause)"
    }

    func hindrance(_ hindrance: Hindrance) -> String {
        switch hindrance {
        case .locationPermission: "aplikasi tiada kebenaran lokasi"
        case .approximateLocation: "lokasi hanya anggaran"
        case .batteryOptimisation: "penjimatan bateri menghentikan aplikasi"
        case .powerSave: "telefon menjimatkan bateri"
        case .hibernation: "sistem menidurkan aplikasi"
        case .backgroundRefresh: "aplikasi tidak boleh berjalan di latar belakang"
        case .signedOut: "aplikasi telah dilog keluar"
        case .undecryptable: "Jaga tidak dapat menyahsulit mesejnya, kuncinya lain"
        }
    }

    func sender(_ who: String) -> String { "Daripada \(who) melalui Jaga, STOP untuk berhenti" }

    var somebody: String { "Seseorang" }

    func invitation(who: String, code: String) -> String {
        "\(who) mahu menghantar mesej kepada anda. Jika setuju, beritahu kod anda \(code)"
    }

    var refusal: String { "Jika tidak, abaikan atau balas STOP" }

    func zoneFile(who: String, file: String) -> String {
        "\(who) menghantar zon kepada anda dalam fail \(file)"
    }

    var preview: String { "Semak zon itu dalam Jaga sebelum menerimanya" }

    func yours(who: String) -> String {
        "Anda telah ambil tugas kecemasan \(who). Yang lain dimaklumkan"
    }

    func referenceNeeded(who: String, reference: String) -> String {
        "Untuk ambil tugas kecemasan \(who), balas OK \(reference)"
    }

    var confirmInApp: String {
        "SMS tidak menamatkan kecemasan anda. Sahkan dalam Jaga bahawa ia telah tamat"
    }

    var helpComes: String { "SOS anda telah diterima, kumpulan anda sedang dimaklumkan" }
    var stopped: String {
        "Tiada lagi berita zon ke nombor ini, hanya kecemasan. START membenarkannya semula"
    }
    var started: String { "Berita zon boleh dihantar ke nombor ini semula" }

    func test(gateway: String) -> String { "Ini ujian \(gateway). Semuanya baik" }
}
