"""Signs that are bullets of lists and nothing else, in whatever text."""

SIGNS = "•◦▪‣●○■□▶➢✓►▸▷▹∙⁃⦁◆◇❖➤➔✔"
