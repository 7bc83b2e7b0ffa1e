"""Words of the schedule, notices, receipt, article and tables; all are made up."""

from __future__ import annotations

SCHEDULE_TITLE = "Schedule of moorings and dues, season 2024"
SCHEDULE_COLUMNS = (
    "Berth",
    "Vessel",
    "Type",
    "Length m",
    "Beam m",
    "Draught m",
    "Dues £",
    "Paid",
)
SCHEDULE = (
    ("01", "Anemone", "sloop", "9.45", "3.10", "1.65", "1,342.80", "2 Feb"),
    ("02", "Bishop's Rock", "ketch", "13.20", "3.95", "1.90", "2,118.00", "15 Jan"),
    ("03", "Cormorant II", "motor", "7.80", "2.75", "0.85", "986.40", "30 Jan"),
    ("04", "Dulcie May", "gaffer", "8.60", "2.90", "1.40", "1,174.20", "9 Feb"),
    ("05", "Éclair", "sloop", "10.05", "3.30", "1.80", "1,456.50", "21 Feb"),
    ("06", "Fräulein Hansen", "yawl", "11.75", "3.42", "1.75", "1,803.60", "4 Mar"),
    ("07", "Grey Mare", "motor", "12.40", "4.05", "1.10", "2,041.30", "open"),
    ("08", "Halcyon", "sloop", "9.10", "3.00", "1.50", "1,289.70", "18 Jan"),
    ("09", "Isabella", "trimaran", "10.60", "6.85", "0.70", "2,377.90", "26 Jan"),
    ("10", "Jackdaw", "dinghy", "4.90", "1.85", "0.25", "312.00", "1 Mar"),
    ("11", "Kittiwake", "sloop", "8.05", "2.70", "1.35", "1,045.60", "12 Feb"),
    ("12", "Lorelei", "motor", "14.90", "4.40", "1.25", "2,690.00", "open"),
    ("13", "Marie-Thérèse", "cutter", "12.05", "3.70", "1.95", "1,927.40", "8 Jan"),
    ("14", "North Star", "sloop", "9.75", "3.20", "1.70", "1,398.10", "29 Feb"),
    ("15", "Oystercatcher", "dory", "6.20", "2.20", "0.40", "588.80", "14 Feb"),
    ("16", "Puffin", "motor", "6.85", "2.45", "0.60", "701.20", "6 Mar"),
    ("17", "Queen of Spades", "ketch", "15.30", "4.25", "2.10", "2,884.50", "11 Jan"),
    ("18", "Ragamuffin", "sloop", "8.35", "2.80", "1.45", "1,108.90", "23 Jan"),
    ("19", "Saga", "folkboat", "7.64", "2.20", "1.20", "902.70", "19 Feb"),
    ("20", "Tante Käthe", "motor", "9.90", "3.35", "0.95", "1,420.00", "open"),
)
SCHEDULE_NOTE = (
    "Dues are per season and include water. Sums marked open were due on 15 March 2024."
)
FRENCH_TITLE = "Avis aux plaisanciers"
FRENCH = (
    "Du lundi 6 mai au vendredi 24 mai, l'accès au ponton est sera fermé en raison de"
    " travaux. Les bateaux concernés seront déplacés vers le bassin des visiteurs, où"
    " l'eau et l'électricité sont à votre disposition. La grue restera en service, mais"
    " il faudra réserver au moins trois jours à l'avance auprès de la capitainerie.",
    "Pendant la durée du chantier, la vitesse est limitée à deux nœuds. Veuillez garder"
    " vos distances avec la barge et ses câbles, même lorsqu'elle paraît à l'arrêt. Le"
    " bruit le plus gênant est prévu entre 8 h 30 et 11 h 45. Nous vous prions de nous"
    " en excuser.",
)
GERMAN_TITLE = "Hinweise für Gastlieger"
GERMAN = (
    "Gäste melden sich bitte innerhalb einer Stunde nach dem Festmachen im Hafenbüro."
    " Die Gebühr beträgt 2,40 € je Meter Bootslänge und Nacht; Kinder unter zwölf Jahren"
    " zahlen keine Kurtaxe. Duschmarken gibt es für 1,50 € am Automaten neben der"
    " Segelmacherei.",
    "Größere Schiffe über 15 m müssen sich vorher über Kanal 12 anmelden, weil nur drei"
    " Plätze mit genügend Wassertiefe vorhanden sind. Bei Südwestwind ab Stärke 7 läuft"
    " starker Schwell in die Einfahrt; dann ist Einlaufen für Ortsunkundige gefährlich.",
)
ENGLISH_TITLE = "Notice to mariners"
ENGLISH = (
    "The leading lights on Lantern Point will be dark from 13 May to 17 May while the"
    " lamps are replaced. A temporary buoy, Fl(2) G 6s, marks the outer end of the"
    " dredged channel. Mariners without local knowledge are advised to enter by day and"
    " above half tide.",
)
RECEIPT_HEAD = (
    "TIDEWATER",
    "Coffee & Books",
    "22 Lantern Street, Northwick",
    "Tel. 01632 960 418",
)
RECEIPT_ROWS = (
    ("2 Flat white", "7.60"),
    ("1 Earl Grey, pot", "3.25"),
    ("1 Almond croissant", "3.10"),
    ("1 Soup of the day", "6.95"),
    ("1 Sourdough, extra", "1.40"),
    ("1 Tide tables 2024", "8.99"),
    ("1 Postcard set", "4.50"),
    ("Discount book club", "-0.90"),
)
RECEIPT_SUMS = (
    ("SUBTOTAL", "34.89"),
    ("Service 10%", "3.49"),
    ("TOTAL GBP", "38.38"),
)
RECEIPT_TAIL = (
    ("Card VISA", "38.38"),
    ("Change", "0.00"),
    ("VAT 20% on 21.56", "3.59"),
)
RECEIPT_END = (
    "**** **** **** 4071",
    "Auth 590213  Term 0042",
    "Sat 06/04/2024 11:52",
    "Served by Inês   No. 0187",
    "Thank you, come again!",
)
ARTICLE_TITLE = "How a harbour reads the sea"
ARTICLE_BY = "Essay by Ingrid Vale, photographs in the next issue"
ARTICLE = (
    "Long before there were tables in print, every harbour kept its own account of the"
    " tides. A notched post beside the slip, a row of iron rings in the wall, a chalk"
    " line on the fishmonger's door: each told those who could read it how much water"
    " stood over the bar and for how long. The marks were wrong as often as they were"
    " right, and nobody minded, for everyone knew by how much and in which weather they"
    " lied.",
    "The first self-writing gauge in our county was set up in 1847 by a clockmaker named"
    " Abraham Thole. A copper float hung in a well under the quay; a wire ran over a"
    " wheel; a pencil drew the rise and fall on a paper drum that turned once in a day."
    " Thole emptied the drum each noon for thirty-one years. When he fell ill his"
    " daughter Judith did it, and hers are the sheets on which the great surge of 1883"
    " is written down as a single stroke that leaves the paper at the top and returns"
    " four hours later.",
    "Anyone who has held those sheets knows that they are hard to read. The ink has"
    " browned, the pencil has smudged, mice have been at the corners. Two clerks who"
    " copied the same week in 1901 differed in eleven places out of 336. Yet the sheets"
    " hold the longest unbroken account of the sea's level on this coast, and of late"
    " they have become valuable again.",
    "What they say can be told in a line. Between 1850 and 1950 the mean level rose by 9"
    " cm; between 1950 and 2020 by 16 cm. A flood that our grandparents met once in a"
    " lifetime now comes every twelve years. The quay that Thole's float hung under was"
    " raised in 1912 by two courses of granite and in 1978 by another three, and the"
    " newest plans show a fourth rise of 60 cm, with gates across the mouth of the old"
    " dock.",
    "It is easy to tell this as a story of loss. The people who work here tell it"
    " otherwise. A harbour, they say, is a thing that is always being rebuilt; no stone"
    " in the north wall is older than the wall is said to be, and none has been in its"
    " place for longer than sixty years. What lasts is the habit of looking: somebody"
    " goes down at noon, reads the mark and writes it in the book. Judith Thole's last"
    " entry is dated 2 May 1919. It gives the height of high water, the wind, and three"
    " words that are not a measurement: a fair morning.",
    "Today the float is a radar and the drum a row of numbers sent every six minutes to"
    " a computer in another town. The well under the quay has been kept. On open days"
    " children may look down it, and most are disappointed, because there is nothing to"
    " see in it but water, which rises a little while they look.",
)
RULED_CAPTION = "Table 1. Tides at Lantern Point, first week of May 2024 (heights in metres)"
RULED = (
    ("Day", "High water", "Height", "Low water", "Height", "Range"),
    ("Wed 1", "01:14", "4.61", "07:32", "1.38", "3.23"),
    ("Thu 2", "02:05", "4.42", "08:21", "1.60", "2.82"),
    ("Fri 3", "03:12", "4.31", "09:27", "1.74", "2.57"),
    ("Sat 4", "04:31", "4.44", "10:46", "1.63", "2.81"),
    ("Sun 5", "05:40", "4.83", "11:55", "1.27", "3.56"),
    ("Mon 6", "06:34", "5.31", "12:50", "0.82", "4.49"),
    ("Tue 7", "07:21", "5.76", "13:38", "0.41", "5.35"),
)
OPEN_CAPTION = "Table 2. Landings by species, tonnes"
OPEN = (
    ("Species", "2020", "2021", "2022", "2023", "Change"),
    ("Brown crab", "402.6", "388.1", "417.9", "455.3", "+8.9 %"),
    ("Lobster", "121.4", "130.7", "149.2", "155.7", "+4.4 %"),
    ("Mackerel", "210.0", "254.8", "198.3", "231.6", "+16.8 %"),
    ("Sea bass", "48.9", "51.2", "44.0", "39.5", "-10.2 %"),
    ("Cuttlefish", "77.3", "69.4", "92.6", "101.8", "+9.9 %"),
    ("Whelk", "265.1", "281.5", "290.4", "300.1", "+3.3 %"),
    ("All species", "1,125.3", "1,175.7", "1,192.4", "1,284.0", "+7.7 %"),
)
TABLE_TITLE = "Appendix B: figures"
TABLE_TEXT = (
    "Times are British Summer Time. Heights are above chart datum. Landings are given as"
    " live weight; sales by the crews straight to restaurants are not counted.",
)
CHINESE_TITLE = "北港潮汐观测站年度简报"
CHINESE_SUBTITLE = "Northwick Tide Station: Annual Summary 2023"
CHINESE = (
    "本站位于灯塔角以东约三百米处，自一九六一年起连续记录潮位、风速与降雨量。去年十月至"
    "今年二月，降雨总量达到742毫米，比多年平均值高出近六成，是建站以来最湿润的一个冬季。",
    "The gauge was read 87,600 times during the year. Only 214 readings (0.24%) were"
    " lost, most of them on the night of 21 December, when lightning struck the mast.",
    "由于上游来沙增多，航道水深一度由4.2米降至3.4米。港务处租用两艘挖泥船，历时二十六天"
    "，共清除泥沙18,400立方米，费用为412,600英镑。清淤完成后，吃水三米以上的船舶可以全天"
    "进出港口。",
    "传感器型号为RT-500，采样间隔6分钟，数据通过4G网络发送至中心服务器。如遇停电，备用电"
    "池可维持72小时。技术支持请联系tide@northwick.example，电话01632 960 421。",
    "Next year the station will add a second radar sensor and a water-quality probe. 新"
    "设备预计在2024年9月安装，届时将公开全部观测数据，供研究人员和渔民免费使用。",
)
CHINESE_TABLE = (
    ("月份 Month", "平均潮位 Mean level", "最高潮位 Maximum", "降雨量 Rainfall"),
    ("一月 January", "2.84 m", "5.92 m", "163 mm"),
    ("四月 April", "2.71 m", "5.64 m", "48 mm"),
    ("七月 July", "2.69 m", "5.51 m", "37 mm"),
    ("十月 October", "2.80 m", "5.88 m", "142 mm"),
)
CHINESE_END = "编制：港务处观测科\u3000\u3000日期：2024年4月4日\u3000\u3000第1页，共1页"
SELF_TEST = (
    "Pagetide reads this page to see that it can read",
    "Quay 7, berth 42, high water at 06:34",
    "Invoice 2024-00713 of 18 March 2024",
    "Mooring line, polyester, 24 mm, 50 m",
    "Amount due: EUR 8,544.44 (VAT 19%)",
    "Grüße aus Flensburg, Straße am Hafen",
    "Les bateaux seront déplacés vers le bassin",
    "Señora Núñez llegará mañana por la tarde",
    "Tel. 01632 960 418, tide@northwick.example",
    "The end of the test: ten lines in all",
)
