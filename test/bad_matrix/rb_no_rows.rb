title                                                                   key
 3 1 1 1
rua 0 2 3 0
(4I3) (4I3) (4E10.2)
