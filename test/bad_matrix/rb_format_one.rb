title                                                                   key
 3 1 1 1
rua 3 2 3 0
(4I3)
