"""The emoji of callouts: what they look like, and which of GitHub's alerts they say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_PAIRS = (
    "gift 🎁 bulb 💡 pushpin 📌 round_pushpin 📍 memo 📝 pencil 📝 pencil2 ✏️ warning ⚠️ exclamation ❗"
    " heavy_exclamation_mark ❗ bangbang ‼️ grey_exclamation ❕ question ❓ grey_question ❔ information_source ℹ️"
    " no_entry ⛔ no_entry_sign 🚫 x ❌ negative_squared_cross_mark ❎ rotating_light 🚨 stop_sign 🛑 octagonal_sign 🛑"
    " construction 🚧 fire 🔥 boom 💥 zap ⚡ star ⭐ star2 🌟 sparkles ✨ dizzy 💫 100 💯 white_check_mark ✅"
    " heavy_check_mark ✔️ ballot_box_with_check ☑️ ok 🆗 ok_hand 👌 thumbsup 👍 +1 👍 thumbsdown 👎 -1 👎 clap 👏"
    " raised_hands 🙌 pray 🙏 muscle 💪 wave 👋 point_right 👉 point_left 👈 point_up ☝️ point_down 👇 eyes 👀 heart ❤️"
    " broken_heart 💔 smile 😄 smiley 😃 grinning 😀 grin 😁 blush 😊 joy 😂 sob 😭 thinking_face 🤔 thinking 🤔"
    " sunglasses 😎 sunny ☀️ cloud ☁️ umbrella ☔ snowflake ❄️ rainbow 🌈 rocket 🚀 airplane ✈️ car 🚗 house 🏠"
    " office 🏢 books 📚 book 📖 blue_book 📘 green_book 📗 orange_book 📙 closed_book 📕 bookmark 🔖 label 🏷️"
    " link 🔗 paperclip 📎 date 📅 calendar 📆 alarm_clock ⏰ hourglass ⌛ stopwatch ⏱️ clipboard 📋 page_facing_up 📄"
    " file_folder 📁 open_file_folder 📂 card_index_dividers 🗂️ chart_with_upwards_trend 📈 bar_chart 📊"
    " chart_with_downwards_trend 📉 mag 🔍 mag_right 🔎 key 🔑 lock 🔒 unlock 🔓 bell 🔔 mega 📣 loudspeaker 📢"
    " speech_balloon 💬 thought_balloon 💭 email 📧 envelope ✉️ phone ☎️ iphone 📱 computer 💻 desktop_computer 🖥️"
    " gear ⚙️ wrench 🔧 hammer 🔨 tools 🛠️ package 📦 trophy 🏆 medal 🏅 dart 🎯 tada 🎉 confetti_ball 🎊 balloon 🎈"
    " crown 👑 gem 💎 moneybag 💰 coffee ☕ beer 🍺 cake 🍰 apple 🍎 seedling 🌱 four_leaf_clover 🍀 cherry_blossom 🌸"
    " deciduous_tree 🌳 dog 🐶 cat 🐱 panda_face 🐼 bug 🐛 robot_face 🤖 ghost 👻 movie_camera 🎥 camera 📷 art 🎨"
    " musical_note 🎵 headphones 🎧 microphone 🎤 video_game 🎮 red_circle 🔴 large_blue_circle 🔵"
    " triangular_flag_on_post 🚩 checkered_flag 🏁 recycle ♻️ arrows_counterclockwise 🔄 new 🆕 top 🔝 soon 🔜"
)
_WORDS = _PAIRS.split(" ")

GLYPHS: Mapping[str, str] = MappingProxyType(dict(zip(_WORDS[::2], _WORDS[1::2], strict=True)))

_ALERTS = MappingProxyType(
    {
        **dict.fromkeys(("information_source", "pushpin", "round_pushpin", "memo", "pencil"), "NOTE"),
        **dict.fromkeys(("bulb",), "TIP"),
        **dict.fromkeys(("exclamation", "heavy_exclamation_mark", "bangbang", "grey_exclamation"), "IMPORTANT"),
        **dict.fromkeys(("warning", "construction"), "WARNING"),
        **dict.fromkeys(
            ("no_entry", "no_entry_sign", "rotating_light", "stop_sign", "octagonal_sign", "x"),
            "CAUTION",
        ),
    }
)
_NAME = re.compile(r"[A-Za-z0-9_+-]{1,64}\Z")


def glyph(emoji_id: object) -> str:
    """The emoji; its name between colons where we do not know it, which readers such as GitHub may; "" for none."""
    if not isinstance(emoji_id, str) or not _NAME.match(emoji_id):
        return ""
    return GLYPHS.get(emoji_id, f":{emoji_id}:")


def alert(emoji_id: object) -> str:
    """NOTE, TIP, IMPORTANT, WARNING or CAUTION where the emoji says that; "" for any other."""
    return _ALERTS.get(emoji_id, "") if isinstance(emoji_id, str) else ""
