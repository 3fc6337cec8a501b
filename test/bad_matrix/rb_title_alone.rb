title
