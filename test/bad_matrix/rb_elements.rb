title                                                                   key
 3 1 1 1
rse 3 3 3 2
(4I3) (4I3) (4E10.2)
