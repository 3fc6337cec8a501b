Creator "yFiles"
graph [
]
