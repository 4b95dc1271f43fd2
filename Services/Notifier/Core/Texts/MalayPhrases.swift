import Model

/// Phrases that are the same in Malay and Indonesian.
protocol MalayPhrasebook: Phrasebook {}

extension MalayPhrasebook {
    func inZone(_ zone: String, at: String) -> String { "Di \(zone), \(at)" }
    func respondByReply(reference: String) -> String { "Atau balas OK \(reference)" }
    var checkInByReply: String { "Atau balas OK" }
    var somebody: String { "Seseorang" }
    var howToDecline: String { "Jika tidak, abaikan atau balas STOP" }
}

struct MalayPhrases: MalayPhrasebook {
    func trigger(_ trigger: EmergencyTrigger, by: String?) -> String {
        switch trigger {
        case .panic: "butang panik"
        case .shake: "telefon digoncang"
        case .fall: "terjatuh"
        case .crash: "kemalangan"
        case .noMotion: "tiada pergerakan"
        case .watchExpired: "pemantauan tamat tanpa jawapan"
        case .lostContact: "hubungan terputus"
        case .sms: "melalui SMS"
        case .link: "melalui pautan"
        case .zone: "zon amaran"
        case .guardian: "dipanggil oleh \(by ?? "penjaga")"
        }
    }

    func seen(at: String) -> String { "Dikesan \(at)" }

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
        case .record: "Diterima lewat"
        }
    }

    var suspectPosition: String { "Kedudukan diragui" }
    var underDuress: String { "DIANCAM: JANGAN TELEFON ATAU SMS DIA" }

    func certainty(metres: Int?, taken: String) -> String {
        metres.map { "dalam \($0) m, \(taken)" } ?? "ketepatan tidak diketahui, \(taken)"
    }

    func late(due: String, until: String) -> String {
        "Lewat: sepatutnya \(due), pelayan kami tergendala hingga \(until)"
    }
    var noPosition: String { "Kedudukan tidak diketahui" }
    var positionNotShared: String { "Kedudukan tidak dikongsi" }
    func position(_ coordinates: String) -> String { "Kedudukan \(coordinates)" }
    func battery(_ percent: UInt8) -> String { "Bateri \(percent)%" }
    func note(_ note: String) -> String { "Nota: \(note)" }
    func respondInApp(reference: String) -> String { "Sahkan dalam Jaga, ruj \(reference)" }
    func respondOnPage(_ link: String) -> String { "Bantu: \(link)" }
    func seePage(_ link: String) -> String { "Lihat: \(link)" }
    func confirmOnPage(_ link: String) -> String { "Sahkan atau serah balik: \(link)" }
    func reference(_ reference: String) -> String { "Ruj \(reference)" }
    func recipientReason(circle: String) -> String { "Anda dimaklumkan sebagai ahli \(circle)" }

    func zone(_ event: ZoneContent, who: String, zone: String, at: String) -> String {
        let sentence =
            switch event {
            case .entered: "\(who) tiba di \(zone)"
            case .left: "\(who) keluar dari \(zone)"
            case .near: "\(who) berada dekat \(zone)"
            case .stays: "\(who) masih berada di \(zone)"
            case .staysUnseen(let minutes):
                "\(who) masih berada di \(zone), kedudukan terakhir \(minutes) minit lalu"
            case .passedThrough: "\(who) melalui \(zone)"
            case .alertEntered: "AMARAN \(who) memasuki \(zone)"
            case .alertNear: "AMARAN \(who) berada dekat \(zone)"
            case .alertInside: "AMARAN \(who) berada di \(zone)"
            case .alertLeft: "Penggera tamat: \(who) keluar dari \(zone)"
            case .alertOver: "Penggera tamat: \(who), zon \(zone)"
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

    func acknowledged(who: String, by: String?) -> String {
        "\(by ?? "Operator") sedang menangani kecemasan \(who)"
    }

    func acknowledgedElsewhere(who: String, by: String?) -> String {
        "\(by ?? "Operator") dari kumpulan lain menangani kecemasan \(who)."
            + " Kumpulan anda dimaklumkan sehingga ada yang menjawab"
    }

    func cancelled(who: String) -> String { "Kecemasan tamat: dibatalkan oleh \(who)" }

    func resolved(who: String, by: String?) -> String {
        "Kecemasan \(who) tamat: diselesaikan oleh \(by ?? "operator")"
    }

    func endedElsewhere(who: String, by: String?, circles: String) -> String {
        "\(by ?? "Operator") menamatkan kecemasan \(who) untuk \(circles)."
            + " Bagi anda ia masih terbuka"
    }

    func ownEnded(by: String?, circles: String?) -> String {
        "\(by ?? "Operator") menamatkan kecemasan anda\(circles.map { " untuk \($0)" } ?? "")."
            + " Anda selamat?"
    }

    func ownEndedAnswer(goesOn: Bool) -> [String] {
        guard goesOn else { return ["Jika masih perlukan bantuan, minta bantuan semula"] }
        return [
            "Jika ya, sahkan dalam Jaga",
            "Sehingga itu kami maklumkan kumpulan anda yang lain",
        ]
    }

    func acknowledgementReminder(who: String, minutes: Int64) -> String {
        "Masih membantu \(who)? Sahkan dalam \(minutes) minit"
            + " atau kami maklumkan yang lain semula"
    }

    func ownAcknowledged(by: String?) -> String {
        "\(by ?? "Operator") sedang menangani kecemasan anda"
    }

    func ownNobodyReached(number: String) -> String {
        "Belum ada sesiapa dihubungi, kami terus mencuba. Hubungi \(number) jika boleh"
    }

    func ownCountdown(_ trigger: String, alarmAt: String) -> String {
        "Anda OK? Dilaporkan: \(trigger). Kami maklumkan kumpulan anda pada \(alarmAt)."
            + " Batalkan di Jaga jika OK"
    }

    func ownRaised(by: String?) -> String {
        "\(by ?? "Penjaga") meminta bantuan bagi pihak anda. Jika selamat, maklumkan mereka"
    }

    func watchReminder(deadline: String) -> String {
        "Anda selamat? Pemantauan anda tamat pada \(deadline). Tamatkan atau lanjutkan"
            + " dalam Jaga atau kami maklumkan kumpulan anda"
    }

    func extendOnPage(_ link: String) -> String { "Lanjutkan atau tamatkan: \(link)" }
    func answerOnPage(_ link: String) -> String { "Jawab: \(link)" }

    func checkInDue(name: String, due: String, alarmAt: String) -> String {
        let check = name.isEmpty ? "" : " \(name)"
        return "Anda selamat? Pengesahan\(check) sepatutnya pada \(due). Jawab atau kami"
            + " maklumkan kumpulan anda pada \(alarmAt)"
    }

    var safeByReply: String { "Atau balas SELAMAT dan PIN anda" }

    func timeUp(_ text: String, due: String?) -> String {
        "Masa tamat!\(text.isEmpty ? "" : " \(text)")"
            + (due.map { ", sepatutnya pada \($0)" } ?? "")
    }

    func safety(_ reply: SafetyReply) -> String {
        switch reply {
        case .noted: "Dicatat: anda selamat"
        case .pinNeeded: "PIN anda diperlukan. Balas SELAMAT dan PIN anda"
        case .wrongPIN: "PIN salah. Balas SELAMAT dan PIN anda"
        case .inApp: "SMS tanpa PIN tidak boleh menamatkan pemantauan. Tamatkan di Jaga"
        }
    }

    var extendByReply: String { "Atau balas LANJUT 30 untuk tambah 30 minit" }

    func watchExtended(deadline: String) -> String {
        "Pemantauan anda kini tamat pada \(deadline)"
    }

    var howToExtend: String {
        "Untuk melanjutkan pemantauan, balas LANJUT dan minit, contohnya LANJUT 30"
    }
    var noWatch: String { "Anda tiada pemantauan yang sedang berjalan" }

    func arrived(who: String, zone: String, at: String) -> String {
        "\(who) tiba di \(zone), \(at). Kecemasan kekal terbuka sehingga ada yang menamatkannya"
    }

    func transition(_ transition: Transition, zones: String) -> String {
        switch transition {
        case .enter: zones
        case .exit: "keluar dari \(zones)"
        case .approach: "dekat \(zones)"
        case .dwell: "masih di \(zones)"
        case .cross: "melalui \(zones)"
        case .absent: "tiada di \(zones)"
        }
    }

    func checkIn(since: String, alarmAt: String?) -> String {
        "Anda selamat? Tiada isyarat dari telefon anda sejak \(since). Sahkan di Jaga"
            + (alarmAt.map { " atau kami maklumkan kumpulan anda pada \($0)" } ?? "")
    }

    func contactLost(who: String, since: String) -> String {
        "Tiada hubungan dengan \(who) sejak \(since), dan tiada jawapan"
    }

    func contactRestored(who: String) -> String { "Hubungan dengan \(who) pulih" }
    func ownBattery(_ percent: UInt8) -> String { "Bateri telefon anda tinggal \(percent)%" }

    func ownImpairment(_ cause: String) -> String {
        "Telefon anda mungkin berhenti melapor: \(cause)"
    }

    func impairment(who: String, _ cause: String) -> String {
        "Telefon \(who) mungkin berhenti melapor: \(cause)"
    }

    func impairment(_ impairment: Impairment) -> String {
        switch impairment {
        case .locationPermission: "aplikasi tiada kebenaran lokasi"
        case .approximateLocation: "lokasi hanya anggaran"
        case .batteryOptimisation: "penjimatan bateri menghentikan aplikasi"
        case .powerSave: "penjimatan kuasa aktif"
        case .hibernation: "sistem menidurkan aplikasi"
        case .backgroundRefresh: "aplikasi tidak boleh berjalan di latar belakang"
        case .signedOut: "aplikasi telah dilog keluar"
        case .undecryptable: "Jaga tidak dapat menyahsulit datanya, kunci salah"
        }
    }

    func sender(_ who: String) -> String { "Daripada \(who) melalui Jaga, STOP untuk berhenti" }

    func invitation(who: String, code: String) -> String {
        "\(who) mahu menghantar mesej kepada anda. Jika setuju, beritahu kod anda \(code)"
    }

    func circleInvitation(who: String, link: String) -> String {
        "\(who) menjemput anda berkongsi kedudukan. Baca siapa akan melihat anda: \(link)"
    }

    func consent(who: String) -> String {
        "\(who) bertanya sama ada orang lain boleh melihat lebih banyak tentang anda. "
            + "Setuju atau tolak dalam Jaga"
    }

    func takeOver(ward: String, date: String) -> String {
        "\(ward) mengambil alih akaun pada \(date). Selepas itu penjaga tidak lagi bertindak "
            + "untuknya"
    }

    func zoneFile(who: String, file: String) -> String {
        "\(who) menghantar zon kepada anda dalam fail \(file)"
    }

    var reviewZones: String { "Semak zon itu dalam Jaga sebelum menerimanya" }

    func account(_ message: AccountMessage, site: String) -> String {
        switch message {
        case .signInCode(let code): "\(code) ialah kod anda untuk log masuk ke \(site)"
        case .contactCode(let code):
            "\(code) ialah kod anda untuk mengesahkan hubungan ini di \(site)"
        case .contactReminder: "\(site): sila sahkan bahawa hubungan ini milik anda"
        case .contactTest: "\(site): ini mesej ujian yang anda minta"
        case .contactRemoved: "\(site): hubungan ini telah dibuang daripada akaun anda"
        case .newSession: "\(site): pelayar baharu telah log masuk ke akaun anda"
        }
    }

    func accountAdvice(_ message: AccountMessage) -> String {
        switch message {
        case .signInCode:
            "Sah selama 10 min. Jangan beri kepada sesiapa, kami tidak pernah memintanya"
        case .contactCode: "Sah selama 10 min. Jika anda tidak memintanya, abaikan sahaja"
        case .contactReminder:
            "Log masuk dan minta kod untuknya. Sebelum itu ia hanya menerima kecemasan"
        case .contactTest: "Tiada tindakan diperlukan"
        case .contactRemoved: "Jika bukan anda, semak hubungan dalam akaun anda"
        case .newSession: "Jika bukan anda, log masuk dan tamatkan sesinya"
        }
    }

    func withdrawByReply(reference: String) -> String { "Bukan anda? Balas BUKAN \(reference)" }

    func handedBack(who: String) -> String {
        "Anda menyerah balik kecemasan \(who). Yang lain dimaklumkan semula"
    }

    var tooManyCodes: String {
        "Terlalu banyak kod salah. Guna Jaga atau cuba lagi dalam sejam"
    }

    func youRespond(who: String) -> String {
        "Anda menangani kecemasan \(who). Yang lain dimaklumkan"
    }

    func referenceNeeded(who: String, reference: String) -> String {
        "Untuk menangani kecemasan \(who), balas OK \(reference)"
    }

    var confirmInApp: String {
        "SMS tidak dapat menamatkan kecemasan anda. Sahkan dalam Jaga bahawa ia telah tamat"
    }

    var nobodyShares: String { "Tiada sesiapa berkongsi kedudukan dengan anda" }
    var sharedNumber: String {
        "Beberapa orang mempunyai nombor ini, jadi kedudukan tidak dihantar. Lihat dalam Jaga"
    }
    var tooManyQuestions: String { "Anda bertanya 10 kali dalam sejam. Cuba lagi nanti" }
    var sharingPaused: String { "perkongsian dijeda" }
    func inNoZone(at: String) -> String { "di luar semua zon, \(at)" }
    func morePositions(_ count: Int) -> String { "\(count) lagi dalam Jaga" }
    var replyWords: String {
        "Perkataan: SOS atau TOLONG meminta bantuan. MANA menghantar kedudukan."
            + " OK dan kod menjawab penggera. LANJUT 30 melanjutkan pemantauan,"
            + " SELAMAT dan PIN anda menamatkannya. STOP menghentikan amaran zon"
    }
    func drill(who: String, circle: String) -> String {
        "ini latihan \(circle), dimulakan oleh \(who). Tiada sesiapa dalam bahaya"
    }
    func answerDrill(_ link: String) -> String { "Jawab: \(link)" }
    var drillAnswered: String { "Terima kasih, jawapan anda untuk latihan telah direkodkan" }

    var sosReceived: String { "SOS diterima. Kami sedang memaklumkan kumpulan anda" }
    var optedOut: String {
        "Anda hanya akan menerima kecemasan. Balas START untuk menerima amaran zon semula"
    }
    var optedIn: String { "Anda akan menerima amaran zon semula" }

    func test(gateway: String) -> String { "Ini ujian \(gateway). Tiada tindakan diperlukan" }
}
